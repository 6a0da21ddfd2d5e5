import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import type { Faults } from './faults/faults.ts'
import type { Receipts } from './receipts/receipts.ts'
import type { Channels } from './state/channels.ts'
import type { Ledger } from './state/ledger.ts'
import { createState } from './state/state.ts'

export type { FaultRule } from './faults/rules.ts'
export type { EncodingRules } from './media/encoding.ts'
export type { WireStatus } from './receipts/acks.ts'
export { disorders, type ReceiptRules } from './receipts/rules.ts'
export { groupId, specialGroups } from './seed/groups.ts'
export { groupNames } from './seed/names.ts'
export type { ChannelChange } from './state/channels.ts'
export type { LedgerEntry } from './state/ledger.ts'

export interface SimulatorOptions {
  /** The TCP port. 0, the default, takes a free port. */
  port?: number
  /** The address to listen on, by default 127.0.0.1. */
  host?: string
  /** Letters and digits that every path must begin with. Other paths are 404. By default paths have no key. */
  pathKey?: string
  /** A file that keeps channels, media ids and ledger over restarts and kills. Without a file a close loses all. */
  file?: string
  /** Groups of every channel, by default 320. */
  groupsPerChannel?: number
  /** Participants of every group, the channel's own number included. By default 3 to 1,024, as in real life. */
  participantsPerGroup?: number
  /**
   * Milliseconds that the provider's clock is ahead of this machine's clock. `POST /_control/clock` changes the
   * shift.
   */
  clockShiftMs?: number
  /** Milliseconds from the first showing of a QR or pairing code until the channel links, by default 4000. */
  linkAfterMs?: number
  /**
   * Milliseconds before a failed webhook is retried. By default the channel's setting decides, which is 3 s at least.
   */
  webhookBackoffMs?: number
}

/** A running simulator. */
export interface Simulator {
  /** The base URL for clients, path key included. */
  url: string
  channels: Channels
  ledger: Ledger
  faults: Faults
  receipts: Receipts
  /** Closes all connections and the file. Requests in progress fail, and nothing more is recorded. */
  close(): Promise<void>
}

/**
 * Starts an imitation of Whapi's HTTP API. Every token that begins with `test_` is a channel, and `test_linked…` is
 * linked from the start. Rejects if the port is taken or the file is unusable.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', pathKey, file, linkAfterMs = 4000 } = options
  const { webhookBackoffMs, clockShiftMs = 0, groupsPerChannel = 320, participantsPerGroup } = options
  const groupNumbers = { groupsPerChannel, participantsPerGroup }
  const state = createState({ file, groupNumbers, linkAfterMs, webhookBackoffMs, clockShiftMs })
  const app = createApp(state, pathKey ? `/${pathKey}` : '')
  await app.listen({ port, host }).catch((error: unknown) => {
    state.close()
    throw error
  })
  const { port: taken } = app.server.address() as AddressInfo // a TCP server has an address
  return {
    url: `http://${host}:${taken}${pathKey ? `/${pathKey}` : ''}`,
    get channels() {
      state.load()
      return state.channels
    },
    get ledger() {
      state.load()
      return state.ledger
    },
    faults: state.faults,
    receipts: state.receipts,
    async close() {
      // Connections close first, so that waiting clients see a lost connection and not an error of the simulator.
      app.server.closeAllConnections()
      state.close()
      await app.close()
    },
  }
}
