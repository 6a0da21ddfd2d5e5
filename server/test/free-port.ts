import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A TCP port that nobody used a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has a port
  server.close()
  return port
}
