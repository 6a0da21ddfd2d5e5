import type { Socket } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'

/** Twelve of the largest images. */
const MAX_BYTES = 64 * 1024 * 1024

type Unread = { address: string; bytes: number; forget: () => void }

/**
 * Bounds the memory of answers that wait for slow clients. Whoever asks for many images and reads none could fill it,
 * with a few kilobytes on one connection. Beyond the bound, the address with the most loses its oldest connection.
 * Streams wait for their client anyway.
 */
export function limitUnreadAnswers(app: FastifyInstance): void {
  const connections = new Map<Socket, Unread>()
  let total = 0

  function count(socket: Socket, address: string, bytes: number) {
    total += bytes
    const known = connections.get(socket)
    if (known) known.bytes += bytes
    else {
      const forget = () => drop(socket)
      connections.set(socket, { address: normalizeIP(address), bytes, forget })
      // Node reports nothing of answers that wait behind others on a connection that closes.
      socket.once('close', forget)
    }
  }

  function uncount(socket: Socket, bytes: number) {
    const unread = connections.get(socket)
    if (!unread) return
    total -= bytes
    unread.bytes -= bytes
    if (unread.bytes === 0) drop(socket)
  }

  function drop(socket: Socket) {
    const unread = connections.get(socket)
    if (!unread) return
    total -= unread.bytes
    connections.delete(socket)
    socket.off('close', unread.forget)
  }

  function closeOne() {
    const byAddress = new Map<string, number>()
    for (const { address, bytes } of connections.values())
      byAddress.set(address, (byAddress.get(address) ?? 0) + bytes)
    const most = Math.max(...byAddress.values())
    for (const [socket, { address }] of connections) {
      if (byAddress.get(address) !== most) continue
      drop(socket)
      return socket.destroy()
    }
  }

  app.addHook('onSend', async ({ ip, socket }, reply, answer) => {
    const isWhole = typeof answer === 'string' || Buffer.isBuffer(answer)
    if (!isWhole || answer.length === 0 || socket.destroyed) return
    const bytes = Buffer.byteLength(answer)
    count(socket, ip, bytes)
    reply.raw.once('finish', () => uncount(socket, bytes))
    while (total > MAX_BYTES) closeOne()
  })
}
