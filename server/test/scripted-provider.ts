import type {
  IncomingMessage,
  InstanceState,
  MayWrite,
  NewChatLimit,
  NumberCheck,
  OwnMessage,
  Provider,
  SendOutcome,
  UploadOutcome,
} from '../src/providers/provider.ts'

export type Send = { token: string; to: string; text: string; mediaId: string | null }

/**
 * A provider in memory that follows a script. The script's `onSend` may accept a message into the ledger and still
 * return another outcome, wait, or never return.
 */
export function scriptedProvider() {
  const ledger: (Send & { message: OwnMessage })[] = []
  const calls = { sends: [] as Send[], uploads: 0, status: 0, ownMessages: 0, histories: 0, incoming: 0 }
  let lastId = 0

  /** Adds the message to the ledger, as WhatsApp would. */
  function accept(send: Send): SendOutcome {
    const id = `message-${++lastId}`
    const timestamp = Math.floor(Date.now() / 1000)
    const kind = send.mediaId === null ? 'text' : 'image'
    ledger.push({
      ...send,
      message: { id, chatId: send.to, kind, text: send.text, timestamp, fromPhone: false },
    })
    return { kind: 'sent', providerMessageId: id }
  }

  const script = {
    /** Runs before the request is written. Until then the engine may still withhold the send. */
    onConnect: (): void | Promise<void> => {},
    onSend: (send: Send): SendOutcome | Promise<SendOutcome> => accept(send),
    onUpload: (): UploadOutcome | Promise<UploadOutcome> => ({
      kind: 'uploaded',
      mediaId: `media-${++lastId}`,
    }),
    onStatus: (): InstanceState => ({ status: 'Connected', linkedNumber: null }),
    onRestriction: (): { until: string | null } | null => null,
    onNewChatLimit: (): NewChatLimit | null => null,
    onIncoming: (): IncomingMessage[] | Promise<IncomingMessage[]> => [],
    onCheck: (phone: string): NumberCheck | Promise<NumberCheck> => ({
      ...{ phone, answer: 'yes', whatsappPhone: phone },
    }),
    /** The LIDs by phone number. */
    lids: new Map<string, string>(),
    onList: (to: string): OwnMessage[] | Promise<OwnMessage[]> =>
      ledger.filter((entry) => entry.to === to).map((entry) => entry.message),
    /** The messages of all chats. */
    onHistory: (): OwnMessage[] | Promise<OwnMessage[]> => ledger.map((entry) => entry.message),
  }

  /** Lets sends wait for their answer, until somebody calls the function that this returns. */
  function holdSends(): () => void {
    const answer = Promise.withResolvers<void>()
    script.onSend = async (send) => {
      await answer.promise
      return accept(send)
    }
    return answer.resolve
  }

  async function send(message: Send, mayWrite: MayWrite = () => true): Promise<SendOutcome> {
    await script.onConnect()
    if (!mayWrite())
      return { kind: 'busy', reason: { code: 'provider_busy', params: {} }, retryAfterMs: null }
    calls.sends.push(message)
    return script.onSend(message)
  }
  const unexpected = async () => {
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
    newChatLimit: async () => script.onNewChatLimit(),
    expiry: async () => null,
    probe: async () => ({ tookMs: 1, clockAheadMs: 0 }),
    async *ownMessages(_credentials, to, from) {
      calls[to === null ? 'histories' : 'ownMessages']++
      const messages = await (to === null ? script.onHistory() : script.onList(to))
      yield { messages: messages.filter(({ timestamp }) => timestamp >= from), clockAheadMs: 0 }
    },
    async *incomingMessages(_credentials, from) {
      calls.incoming++
      const messages = await script.onIncoming()
      yield { messages: messages.filter(({ timestamp }) => timestamp >= from), clockAheadMs: 0 }
    },
    checkNumbers: async (_credentials, phones) => Promise.all(phones.map((phone) => script.onCheck(phone))),
    lidsOf: async (_credentials, phones) =>
      new Map([...script.lids].filter(([phone]) => phones.includes(phone))),
    phoneOf: async (_credentials, wanted) => [...script.lids].find(([, lid]) => lid === wanted)?.[0] ?? null,
    isMetered: async () => false,
    ...{ messageStatus: unexpected, setWebhook: unexpected },
    ...{ removeWebhook: unexpected, qr: unexpected, pairingCode: unexpected, logout: unexpected },
    ...{ groups: unexpected, group: unexpected, contacts: unexpected },
    readEvent: () => ({ receipts: [], incoming: [], instance: null, groupsChanged: false }),
  }
  return { provider, holdSends, script, accept, ledger, calls }
}
