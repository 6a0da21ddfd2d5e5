import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../platform/refusal.ts'
import type { Metrics } from './metrics.ts'

/** Answers /metrics beside the web app. Without METRICS_TOKEN there is no such address. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics | null): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!metrics) throw new Refusal('not_found')
    const scraped = await metrics.scrape(request.headers.authorization)
    if (!scraped) throw new Refusal('unauthenticated')
    return reply.header('cache-control', 'no-store').type(scraped.contentType).send(scraped.text)
  })
}

/** Answers /metrics in a process without the web app. Returns a function that closes the port. */
export async function serveMetrics(metrics: Metrics, { host, port }: { host: string; port: number }) {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    const scraped = await metrics.scrape(request.headers.authorization).catch(() => null)
    if (!scraped) return void response.writeHead(401).end()
    response
      .writeHead(200, { 'content-type': scraped.contentType, 'cache-control': 'no-store' })
      .end(scraped.text)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return async () => {
    server.close()
    server.closeAllConnections()
  }
}
