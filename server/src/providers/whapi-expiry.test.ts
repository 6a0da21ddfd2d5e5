import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createWhapi } from './whapi.ts'

const credentials = { token: 'channel-token' }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Starts a server that answers these paths if the token is right. Returns the server's URL. */
async function serve(token: string, answers: Record<string, unknown>) {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    const isKnown = request.headers.authorization === `Bearer ${token}` && answer !== undefined
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify(isKnown ? answer : { error: 'not found' }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function expiry(channel: unknown, partnerToken: string | null = 'partner-token') {
  const health = { '/health?wakeup=false': { channel_id: 'MANTIS-M72HC', status: { code: 4, text: 'AUTH' } } }
  const baseUrl = await serve(credentials.token, health)
  const manager = await serve('partner-token', { '/channels/MANTIS-M72HC': channel })
  const whapi = createWhapi({
    baseUrl,
    partner: partnerToken ? { baseUrl: manager, token: partnerToken } : null,
  })
  return whapi.expiry(credentials).finally(() => whapi.close())
}

test.each([
  ['milliseconds', { id: 'MANTIS-M72HC', activeTill: 1767744067448 }, '2026-01-07T00:01:07.448Z'],
  ['no date', { id: 'MANTIS-M72HC' }, null],
  ['nonsense', { activeTill: 'tomorrow' }, null],
])('the end of the paid term comes from the partner API: %s', async (_case, channel, expected) => {
  expect(await expiry(channel)).toBe(expected)
})

test('expiry is null without a partner token or with a wrong one', async () => {
  expect(await expiry({ activeTill: 1767744067448 }, null)).toBeNull()
  expect(await expiry({ activeTill: 1767744067448 }, 'wrong')).toBeNull()
})
