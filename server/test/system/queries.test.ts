import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { readyInstallation } from '../ready-installation.ts'
import { addInstance } from './scenario.ts'

// R-2107
test('the number for a pairing code is never logged, however much is logged', async () => {
  await using home = await readyInstallation()
  const sendroom = await home.start([], { LOG_LEVEL: 'trace' })
  const admin = await home.signIn(sendroom)
  const id = await addInstance(admin, 'test_new_paired')
  const calls = ['+84 912 345 678', '84912345678', 'nonsense 84912345678'].map((phone) =>
    admin.call(contract.instances.pairingCode, { params: { id }, query: { phone } }),
  )
  expect((await Promise.all(calls)).map(({ status }) => status)).toContain(200)
  await sendroom.end('SIGTERM')
  // Otherwise this proves nothing.
  expect(sendroom.stderr).toContain('"level":30')
  expect(`${sendroom.stderr}${sendroom.stdout}`).not.toMatch(/912.?345.?678/)
}, 60_000)
