import type {
  ChannelChange,
  EncodingRules,
  FaultRule,
  LedgerEntry,
  ReceiptRules,
  WireStatus,
} from '@sendroom/simulator'
import { until } from './until.ts'

const asUploaded: EncodingRules = { encodesAgainPercent: 0, dropsNamesPercent: 0 }

/** Calls the control API of a simulator in another process. Repeats calls while that process is being restarted. */
export class SimulatorControl {
  readonly url: string
  /** How far the simulator's clock is ahead of ours. */
  aheadMs = 0
  #latencyMs = 0
  #encoding: EncodingRules = asUploaded
  readonly #receipts = new Map<string | null, Partial<ReceiptRules>>()
  /** The simulator's own counts of met faults, as last read. They start at 0 with each of its processes. */
  #lastMet: Record<string, number> = {}
  #metSinceTaken: Record<string, number> = {}

  constructor(url: string) {
    this.url = url
  }

  async #call(path: string, method = 'GET', body?: object) {
    const headers = { 'content-type': 'application/json' }
    const request = { method, ...(body && { headers, body: JSON.stringify(body) }) }
    const answer = await until('the simulator answers', () =>
      fetch(`${this.url}/_control/${path}`, request).catch(() => null),
    )
    if (!answer.ok) throw new Error(`The simulator refuses ${path}: ${await answer.text()}`)
    return answer.json() as Promise<unknown> // each caller states the type
  }

  /** All accepted messages (of the channel with this token), oldest first. */
  async ledger(token?: string): Promise<LedgerEntry[]> {
    const path = token === undefined ? 'ledger' : `ledger?token=${token}`
    return ((await this.#call(path)) as { entries: LedgerEntry[] }).entries
  }

  /** Returns how many requests met each kind of fault since the last call of this method, over all restarts. */
  async takeFaultsMet(): Promise<Record<string, number>> {
    await this.countFaults()
    const taken = this.#metSinceTaken
    this.#metSinceTaken = {}
    return taken
  }

  /** Reads the counts of met faults. Call it before the simulator is killed, which forgets them. */
  async countFaults(): Promise<void> {
    const { met } = (await this.#call('faults')) as { met: Record<string, number> }
    for (const [kind, count] of Object.entries(met))
      this.#metSinceTaken[kind] = (this.#metSinceTaken[kind] ?? 0) + count - (this.#lastMet[kind] ?? 0)
    this.#lastMet = met
  }

  /** Returns what the provider would answer now if it were asked for the message's status. */
  async statusesOf(token: string, chatId: string, id: string): Promise<WireStatus[]> {
    const isGroup = chatId.endsWith('@g.us')
    const answer = await fetch(`${this.url}/${isGroup ? 'statuses' : 'messages'}/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const body = (await answer.json()) as { statuses: WireStatus[] } & WireStatus // the simulator's own tests check it
    return isGroup ? body.statuses : [body]
  }

  addFault = (rule: FaultRule) => this.#call('faults', 'POST', rule)
  clearFaults = () => this.#call('faults', 'DELETE')
  changeChannel = (token: string, change: ChannelChange) =>
    this.#call('channels', 'POST', { token, ...change })
  writeOnPhone = (token: string, to: string, body: string) =>
    this.#call('messages', 'POST', { token, to, body })

  /** A person (a number, or a LID with `@lid`) writes to the channel in private. */
  receive = (token: string, from: string, body: string, quoted?: string) =>
    this.#call('messages', 'POST', {
      token,
      from,
      body,
      ...(quoted !== undefined && { quoted }),
    }) as Promise<{
      id: string
    }>

  /** Changes what becomes of a channel's messages (null: of all channels) and how webhooks report it. */
  async setReceipts(token: string | null, rules: Partial<ReceiptRules>) {
    const all = { ...this.#receipts.get(token), ...rules }
    this.#receipts.set(token, all)
    await this.#call('receipts', 'POST', { ...(token !== null && { token }), ...all })
  }

  /** Sets the time between accepting a message and answering. */
  async setLatency(ms: number) {
    this.#latencyMs = ms
    await this.#call('latency', 'POST', { ms })
  }

  /** Sets how many files the provider encodes again, and how many names it drops, of all channels. None by default. */
  async setEncoding(rules = asUploaded) {
    this.#encoding = rules
    await this.#call('media', 'POST', rules)
  }

  async setClockAhead(ms: number) {
    this.aheadMs = ms
    // A shift of 0 would make the Date header come from the real clock instead of the fast one (chaos/fast-time.ts).
    await this.#call('clock', 'POST', { shiftMs: ms || 1 })
  }

  /** Repeats the settings that a killed simulator has forgotten. */
  async restoreSettings() {
    this.#lastMet = {}
    await this.setLatency(this.#latencyMs)
    await this.setEncoding(this.#encoding)
    for (const [token, rules] of this.#receipts) await this.setReceipts(token, rules)
  }
}
