import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { DatabaseAddress } from '../src/database-url.ts'

/**
 * Opens a TCP port for an embedded PostgreSQL, which listens only on a Unix socket, and breaks the connections in the
 * ways of a network.
 */
export async function startRelay(to: DatabaseAddress) {
  let address = to
  const sockets = new Set<Socket>()
  let isSilent = false
  const relay = createServer((client) => {
    const upstream = connect(join(address.host, `.s.PGSQL.${address.port}`))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    // A killed worker's connection is reset, and a reset ends no pipe: its transaction would keep its locks forever.
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => isSilent || client.destroy())
    client.on('data', (bytes) => isSilent || upstream.write(bytes))
    upstream.on('data', (bytes) => isSilent || client.write(bytes))
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const { port } = relay.address() as AddressInfo // a TCP server has a port
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    host: `127.0.0.1:${port}`,
    /** Cuts all connections. New ones work. */
    cut,
    /** Cuts all connections and refuses new ones. */
    refuse() {
      relay.close()
      cut()
    },
    /** Swallows everything in both directions, and neither refuses nor ends anything. */
    silence() {
      isSilent = true
    },
    /** Ends what `refuse` or `silence` has begun. What was swallowed is lost. */
    async restore() {
      if (isSilent) cut()
      isSilent = false
      if (!relay.listening) await once(relay.listen(port, '127.0.0.1'), 'listening')
    },
    /** New connections go to another server. The others stay where they are. */
    moveTo(next: DatabaseAddress) {
      address = next
    },
    close() {
      relay.close()
      cut()
    },
  }
}
