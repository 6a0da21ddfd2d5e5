import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import type { Channels } from './channels.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Receipts } from './receipts.ts'
import { createWorld } from './world.ts'

export { groupId, specialGroups } from './seed.ts'

export interface SimulatorOptions {
  /** 0 (the default) takes a free one. */
  port?: number
  host?: string
  /** Letters and digits that every path must begin with; without them, 404. */
  pathKey?: string
  /** Keeps channels, media and ledger over restarts and kills. Without it all is lost on close. */
  file?: string
  groupsPerChannel?: number
  /** How far its clock is ahead of ours, from the first request on; `POST clock` changes it. */
  clockShiftMs?: number
  /** How long after a QR or a pairing code is first shown the channel links itself. */
  linkAfterMs?: number
  /** The first pause after a webhook that was not taken; the channel's own setting (3 s at least) without it. */
  webhookBackoffMs?: number
}

export interface Simulator {
  /** The base URL to give a client, with the key. */
  url: string
  channels: Channels
  ledger: Ledger
  faults: Faults
  receipts: Receipts
  close(): Promise<void>
}

/**
 * Starts a look-alike of Whapi's HTTP API. Rejects when the port is taken or the file cannot be used.
 * Any token that starts with `test_` is a channel; `test_linked…` is linked from birth.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', pathKey, file, groupsPerChannel = 320, linkAfterMs = 4000 } = options
  const { webhookBackoffMs, clockShiftMs = 0 } = options
  const world = createWorld({ file, groupsPerChannel, linkAfterMs, webhookBackoffMs, clockShiftMs })
  const app = createApp(world, pathKey ? `/${pathKey}` : '')
  await app.listen({ port, host }).catch((error: unknown) => {
    world.close()
    throw error
  })
  const { port: taken } = app.server.address() as AddressInfo // a TCP server has one
  return {
    url: `http://${host}:${taken}${pathKey ? `/${pathKey}` : ''}`,
    get channels() {
      world.load()
      return world.channels
    },
    get ledger() {
      world.load()
      return world.ledger
    },
    faults: world.faults,
    receipts: world.receipts,
    async close() {
      // First, so that whoever still waits sees a lost connection and not an error of ours.
      app.server.closeAllConnections()
      world.close()
      await app.close()
    },
  }
}
