import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'

const context = useContext()

test('without METRICS_TOKEN there is no /metrics, and every answer has an id', async () => {
  const app = await context.app
  const answer = await app.inject({ url: '/metrics', headers: { authorization: 'Bearer ' } })
  expect(answer.statusCode).toBe(404)
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('an Admin gets the findings', async () => {
  const { status, body } = await context.call(await context.add.admin(), contract.system.examine, {})
  expect(status).toBe(200)
  expect(body.findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['version', 'not_running', 'provider_unneeded', 'backup_missing', 'mail_off']),
  )
})
