import type {
  AccountState,
  MayWrite,
  OwnMessage,
  Provider,
  SendOutcome,
  UploadOutcome,
} from '../src/providers/provider.ts'

export type Send = { token: string; to: string; text: string; mediaId: string | null }

/**
 * A provider in memory that does as it is told. `onSend` is the script: it may accept a message into the
 * ledger and still answer something else, wait, or never answer.
 */
export function scriptedProvider() {
  const ledger: (Send & { message: OwnMessage })[] = []
  const calls = { sends: [] as Send[], uploads: 0, status: 0, ownMessages: 0 }
  let ids = 0

  /** Takes the message, as WhatsApp would. */
  function accept(send: Send): SendOutcome {
    const id = `message-${++ids}`
    const timestamp = Math.floor(Date.now() / 1000)
    const kind = send.mediaId === null ? 'text' : 'image'
    ledger.push({ ...send, message: { id, kind, text: send.text, timestamp, fromPhone: false } })
    return { kind: 'sent', providerMessageId: id }
  }

  const script = {
    /** Before the request is written; the engine may take it back until then. */
    onConnect: (): void | Promise<void> => {},
    onSend: (send: Send): SendOutcome | Promise<SendOutcome> => accept(send),
    onUpload: (): UploadOutcome => ({ kind: 'uploaded', mediaId: `media-${++ids}` }),
    onStatus: (): AccountState => ({ status: 'Connected', linkedNumber: null }),
    onRestriction: (): { until: string | null } | null => null,
    onList: (to: string): OwnMessage[] | Promise<OwnMessage[]> =>
      ledger.filter((entry) => entry.to === to).map((entry) => entry.message),
  }

  async function send(given: Send, mayWrite: MayWrite = () => true): Promise<SendOutcome> {
    await script.onConnect()
    if (!mayWrite())
      return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: null }
    calls.sends.push(given)
    return script.onSend(given)
  }
  const not = async () => {
    throw new Error('The engine does not need this call.')
  }
  const provider: Provider = {
    sendText: ({ token }, to, text, mayWrite) => send({ token, to, text, mediaId: null }, mayWrite),
    sendImage: ({ token }, to, { mediaId, caption }, mayWrite) =>
      send({ token, to, text: caption, mediaId }, mayWrite),
    async uploadImage() {
      calls.uploads++
      return script.onUpload()
    },
    async status() {
      calls.status++
      return script.onStatus()
    },
    restriction: async () => script.onRestriction(),
    expiry: async () => null,
    async ownMessages(_account, to, from) {
      calls.ownMessages++
      const messages = await script.onList(to)
      return { messages: messages.filter(({ timestamp }) => timestamp >= from), clockAheadMs: 0 }
    },
    ...{ messageStatus: not, isMetered: not, setWebhook: not, removeWebhook: not },
    readNews: () => ({ receipts: [], account: null, groupsChanged: false }),
    ...{ qr: not, pairingCode: not, logout: not, groups: not, group: not, contacts: not },
  }
  return { provider, script, accept, ledger, calls }
}
