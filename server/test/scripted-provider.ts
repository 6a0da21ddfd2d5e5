import { createHash } from 'node:crypto'
import type {
  IncomingMessage,
  InstanceState,
  MayWrite,
  MediaFile,
  NewChatLimit,
  NumberCheck,
  OutgoingContent,
  OwnMessage,
  PollResults,
  Provider,
  SendOutcome,
  UploadOutcome,
} from '../src/providers/provider.ts'

/** `text` is the text, the caption or the poll's question. `content` is missing where a test needs only the text. */
export type Send = {
  token: string
  to: string
  text: string
  mediaId: string | null
  content?: OutgoingContent
  mentions?: string[]
}

/**
 * A provider in memory that follows a script. The script's `onSend` may accept a message into the ledger and still
 * return another outcome, wait, or never return.
 */
export function scriptedProvider() {
  const ledger: (Send & { message: OwnMessage })[] = []
  const calls = { sends: [] as Send[], uploads: 0, status: 0, ownMessages: 0, histories: 0, incoming: 0 }
  const files = new Map<string, { sha256: string; size: number }>()
  let lastId = 0

  /** Adds the message to the ledger, as WhatsApp would. */
  function accept(send: Send): SendOutcome {
    const id = `message-${++lastId}`
    const timestamp = Math.floor(Date.now() / 1000)
    const content = send.content ?? contentOfText(send)
    const message = {
      ...{ id, chatId: send.to, kind: content.kind, text: send.text, timestamp, fromPhone: false },
      options: content.kind === 'poll' ? content.options : [],
      location: content.kind === 'location' ? placeOf(content) : null,
      media: 'mediaId' in content ? mediaOf(content) : null,
    }
    ledger.push({ ...send, message })
    return { kind: 'sent', providerMessageId: id }
  }

  const mediaOf = (content: OutgoingContent & { mediaId: string }) => ({
    ...(files.get(content.mediaId) ?? { sha256: null, size: null }),
    fileName: content.kind === 'document' ? content.fileName : null,
  })

  const script = {
    /** Runs before the request is written. Until then the engine may still withhold the send. */
    onConnect: (): void | Promise<void> => {},
    onSend: (send: Send): SendOutcome | Promise<SendOutcome> => accept(send),
    onUpload: (_file: MediaFile): UploadOutcome | Promise<UploadOutcome> => ({
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
    onPollResults: (_id: string): PollResults | null | Promise<PollResults | null> => null,
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
    send: ({ token }, to, { content, mentions = [] }, mayWrite) =>
      send({ token, to, ...textAndMedia(content), content, mentions }, mayWrite),
    async upload(_credentials, file) {
      calls.uploads++
      const outcome = await script.onUpload(file)
      if (outcome.kind === 'uploaded') files.set(outcome.mediaId, await digestOf(file))
      return outcome
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
    ...{ groups: unexpected, group: unexpected, contacts: unexpected, channels: unexpected },
    pollResults: async (_credentials, id) => script.onPollResults(id),
    readEvent: () => ({ receipts: [], incoming: [], votes: [], instance: null, groupsChanged: false }),
  }
  return { provider, holdSends, script, accept, ledger, calls }
}

const contentOfText = ({ text, mediaId }: Send): OutgoingContent =>
  mediaId === null ? { kind: 'text', text } : { kind: 'image', mediaId, caption: text }

function textAndMedia(content: OutgoingContent): { text: string; mediaId: string | null } {
  if (content.kind === 'text') return { text: content.text, mediaId: null }
  if (content.kind === 'poll') return { text: content.question, mediaId: null }
  if (content.kind === 'location') return { text: '', mediaId: null }
  return { text: 'caption' in content ? content.caption : '', mediaId: content.mediaId }
}

const placeOf = ({ latitude, longitude }: OutgoingContent & { kind: 'location' }) => ({ latitude, longitude })

async function digestOf({ size, open }: MediaFile) {
  const hash = createHash('sha256')
  for await (const chunk of await open()) hash.update(chunk)
  return { sha256: hash.digest('hex'), size }
}
