import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textMessage } from '../../test/text-message.ts'
import { providerOf } from './provider.ts'
import { openProviders } from './providers.ts'
import { startSimulator } from './test-mode.ts'

const credentials = { token: 'test_linked_providers' }
const person = '84901234567@s.whatsapp.net'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sendroom-providers-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test('test mode keeps its sent messages across a restart', async () => {
  const options = { whapiBaseUrl: 'http://127.0.0.1:9', dataDir, withTestMode: true }
  const before = await openProviders(options)
  const sent = await providerOf(before, { isTest: true })?.send(credentials, person, textMessage('Hello'))
  await before.close()

  const after = await openProviders(options)
  const found = await providerOf(after, { isTest: true })
    ?.ownMessages(credentials, person, 0)
    [Symbol.asyncIterator]()
    .next()
  await after.close()

  expect(sent).toEqual({ kind: 'sent', providerMessageId: found?.value?.messages[0]?.id })
})

test('without test mode a test-mode instance has no provider, and another has the live one', async () => {
  const providers = await openProviders({ whapiBaseUrl: 'http://127.0.0.1:9', dataDir, withTestMode: false })

  expect(providerOf(providers, { isTest: true })).toBeNull()
  expect(providerOf(providers, { isTest: false })).toBe(providers.live)
  await providers.close()
})

//
test('with TEST_MODE=off no simulator is started', async () => {
  const options = { whapiBaseUrl: 'http://127.0.0.1:9', dataDir, withTestMode: true, testMode: false }
  const providers = await openProviders(options)

  expect(providers).toMatchObject({ test: null, forbidsTestMode: true })
  expect(await readdir(dataDir)).toEqual([])
  await providers.close()
})

test('a simulator in another process can be the provider of test-mode instances', async () => {
  const simulator = await startSimulator({ pathKey: 'key' })
  const options = { whapiBaseUrl: 'http://127.0.0.1:9', dataDir, withTestMode: true }
  const providers = await openProviders({ ...options, testProviderUrl: simulator.url })

  await providerOf(providers, { isTest: true })?.send(credentials, person, textMessage('Hello'))

  expect(simulator.ledger.list(credentials.token)).toHaveLength(1)
  await providers.close()
  await simulator.close()
})
