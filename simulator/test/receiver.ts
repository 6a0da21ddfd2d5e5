import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, vi } from 'vitest'
import type { Body } from './client.ts'

interface Told {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Body
}

/** Somebody who listens for webhooks. */
export function useReceiver() {
  const told: Told[] = []
  let refusals = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    told.push({ method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.statusCode = refusals > 0 ? 503 : 200
    refusals--
    response.end()
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const of = (path: string) => told.filter((one) => one.path.startsWith(path))
  return {
    /** An address of its own for each test: `/a`, `/b` … */
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, // it listens on TCP
    /** What has come to this path, oldest first. */
    of,
    /** The statuses among it. */
    statuses: (path: string): Body[] => of(path).flatMap(({ body }) => body.statuses ?? []),
    /** Answers the next ones with 503. */
    refuse(times: number) {
      refusals = times
    },
    waitFor: (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 }),
  }
}
