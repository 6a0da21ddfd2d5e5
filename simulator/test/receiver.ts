import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, vi } from 'vitest'
import type { Body } from './client.ts'

interface ReceivedRequest {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Body
}

/** Starts a webhook receiver for all tests of a file. */
export function useReceiver() {
  const received: ReceivedRequest[] = []
  let failures = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.statusCode = failures > 0 ? 503 : 200
    failures--
    response.end()
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const requestsTo = (path: string) => received.filter((request) => request.path.startsWith(path))
  return {
    /** Returns the address of a path. Every test uses a path of its own. A TCP server always has an `AddressInfo`. */
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    /** Returns the requests to a path, oldest first. */
    requestsTo,
    /** Returns the statuses in the requests to a path. */
    statuses: (path: string): Body[] => requestsTo(path).flatMap(({ body }) => body.statuses ?? []),
    /** Answers the next requests with 503. */
    failNext(times: number) {
      failures = times
    },
    waitFor: (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 10 }),
  }
}
