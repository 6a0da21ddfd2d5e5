import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import type { IncomingMessage, MediaFile, OutgoingMessage, OwnMessage, PollResults } from './content.ts'

export type {
  IncomingMessage,
  MediaFile,
  OutgoingContent,
  OutgoingMessage,
  OwnMessage,
  PollResults,
} from './content.ts'

/** Authenticates the calls of one instance. */
export type Credentials = { token: string }

/** Why an instance can't send anything now. */
export type InstanceProblem =
  | 'account_not_linked'
  | 'account_unpaid'
  | 'account_bad_token'
  | 'account_restricted'

/**
 * The result of an attempt to send. The engine decides on this and on nothing else. Every attempt ends as exactly
 * one of these, because sending never throws.
 */
export type SendOutcome =
  | { kind: 'sent'; providerMessageId: string }
  /** The provider refused this message or recipient. Another attempt can't help. */
  | { kind: 'rejected'; reason: Reason }
  /**
   * Refused: WhatsApp does not let the instance write to this person first. Either WhatsApp limits the instance, which
   * `restriction` and `newChatLimit` tell, or nobody but this person is affected.
   */
  | { kind: 'no_first_message' }
  /** Not sent: the provider no longer has the uploaded file. Upload it again. */
  | { kind: 'media_gone' }
  /** Not sent. Try again later: after `retryAfterMs`, if the provider asked for that. */
  | { kind: 'busy'; reason: Reason; retryAfterMs: number | null }
  /** Not sent, because the instance can't send now. */
  | { kind: 'account'; problem: InstanceProblem; reason: Reason }
  /** Maybe sent. Look the message up before another attempt, which could send it twice. */
  | { kind: 'unknown'; reason: Reason }

/** The result of an upload. There is no `unknown`: an upload sends nothing, so another attempt is always safe. */
export type UploadOutcome =
  | { kind: 'uploaded'; mediaId: string }
  | Extract<SendOutcome, { kind: 'rejected' | 'busy' | 'account' }>

export type InstanceState = {
  status: InstanceStatus
  /** The linked phone number, digits only. Null if the instance is not connected. */
  linkedNumber: string | null
}

export type ProviderGroup = {
  chatId: string
  name: string
  /** Null if the provider left them out. Then keep the known participants. */
  participants: { personId: string; rank: 'member' | 'admin' | 'creator' }[] | null
  participantCount: number | null
  /** Whether only admins may write to the group. */
  isAdminsOnly: boolean
}

/** A channel of WhatsApp that the instance owns or follows. Only owners and admins may post. */
export type ProviderChannel = {
  /** Ends in `@newsletter`. */
  chatId: string
  name: string
  role: 'owner' | 'admin' | 'subscriber' | 'guest'
  /** Null if the provider does not tell. */
  subscriberCount: number | null
}

/**
 * A page of a list. `next` is the offset of the next page. It counts entries that gave no row, such as contacts
 * without a name. `total` counts the entries of all pages.
 */
export type ProviderPage<T> = { rows: T[]; next: number; total: number }

/** A page of an instance's messages. */
export type MessagePage<T> = {
  messages: T[]
  /** The provider's clock minus ours, in ms. Its Date header has whole seconds. 0 if the header is missing. */
  clockAheadMs: number
}
export type OwnMessages = MessagePage<OwnMessage>
export type IncomingMessages = MessagePage<IncomingMessage>

/** Whether a phone number is on WhatsApp. Only an explicit no is a `no`. */
export type NumberCheck = {
  /** As it was asked. */
  phone: string
  answer: 'yes' | 'no' | 'unknown'
  /** The number by which WhatsApp knows this one, digits only. It may be another one, as in Brazil. */
  whatsappPhone: string | null
}

/** How many new people the instance may still write to, as WhatsApp counts it. */
export type NewChatLimit = {
  status: 'none' | 'first_warning' | 'second_warning' | 'capped'
  /** The rest of the quota. Null if WhatsApp reports no quota. */
  left: number | null
  /** When the quota begins anew (ISO 8601). Null if WhatsApp does not tell. */
  until: string | null
}

/** Reads all pages, for a list that is known to be short. The clock is that of the first page. */
export async function allMessages<T>(pages: AsyncIterable<MessagePage<T>>): Promise<MessagePage<T>> {
  const all: MessagePage<T>[] = []
  for await (const page of pages) all.push(page)
  return { messages: all.flatMap(({ messages }) => messages), clockAheadMs: all[0]?.clockAheadMs ?? 0 }
}

/** The provider's report about a sent message. In a group there is one for each member. */
export type Receipt = {
  providerMessageId: string
  state: 'delivered' | 'read' | 'failed'
  /** The member of a group. Null for a report about the message as a whole. */
  viewer: string | null
  /** ISO 8601, by the provider's clock. Null if the provider gave no time. */
  at: string | null
  /** The provider's words about a failure. Otherwise empty. */
  detail: string
}

/** The content of one webhook call. */
export type ProviderEvent = {
  receipts: Receipt[]
  incoming: IncomingMessage[]
  /**
   * New results of our polls. No order is guaranteed and no time is told, so an older result may come last:
   * `pollResults` reads the present one.
   */
  votes: PollResults[]
  /** The new state of the instance. Null if the call has none, or only a brief reconnect. */
  instance: InstanceState | null
  groupsChanged: boolean
}

/** A webhook of ours. The `url` ends in `key`, which distinguishes it from webhooks of other programs. */
export type Webhook = { key: string; url: string; secret: string }

/** The header of a webhook call that carries the webhook's secret, in lower case as Node writes it. */
export const webhookSecretHeader = 'x-sendroom-secret'

/** Thrown by every call that fails, except sends and uploads, which return their outcome. */
export class ProviderFailure extends Error {
  /** `account`: the instance has a problem. `unreachable`: no answer, an unreadable one, or a server error. */
  readonly kind: 'refused' | 'busy' | 'account' | 'unreachable' | 'conflict' | 'not_ready' | 'not_found'
  readonly reason: Reason
  /** The status of the instance, if the failure reveals it. */
  readonly status: InstanceStatus | null
  /** How long the provider asks to wait, in ms. Null if it gave no time. */
  readonly retryAfterMs: number | null

  constructor(
    kind: ProviderFailure['kind'],
    reason: Reason,
    more: { status?: InstanceStatus; retryAfterMs?: number | null } = {},
  ) {
    super(`The provider call failed: ${kind} (${reason.code})`)
    this.kind = kind
    this.reason = reason
    this.status = more.status ?? null
    this.retryAfterMs = more.retryAfterMs ?? null
  }
}

/**
 * Called once, in the tick that writes the request, because connecting may have taken seconds. If it returns false,
 * nothing is written and the send ends as `busy`.
 */
export type MayWrite = () => boolean

/**
 * A service that sends WhatsApp messages for us. Every call has a timeout. All calls except sends and uploads throw
 * `ProviderFailure`.
 */
export interface Provider {
  /**
   * Reads the state of the instance. `wake` also starts a sleeping one. A bad token or an unpaid channel is a status,
   * not an error.
   */
  status(credentials: Credentials, options?: { wake?: boolean }): Promise<InstanceState>
  /**
   * Reads whether WhatsApp forbids the instance to write to new people, and until when (ISO 8601, or null for an
   * unknown end). Returns null if there is no restriction or the provider does not know. Never throws.
   */
  restriction(credentials: Credentials): Promise<{ until: string | null } | null>
  /**
   * Reads how many new people the instance may still write to. Returns null if WhatsApp reports no limit, or if the
   * limit can't be read. Never throws.
   */
  newChatLimit(credentials: Credentials): Promise<NewChatLimit | null>
  /** Reads when the paid term of the instance ends (ISO 8601). Returns null if we can't know. Never throws. */
  expiry(credentials: Credentials): Promise<string | null>
  /** Reads the QR code as a data URI of a PNG. Fails with `not_ready` (ask again) or `conflict` (already linked). */
  qr(credentials: Credentials): Promise<string>
  /** Requests a pairing code for this phone number (digits only). Fails like `qr`. */
  pairingCode(credentials: Credentials, phone: string): Promise<string>
  /** Unlinks the instance. Fails with `conflict` if the instance is not linked. */
  logout(credentials: Credentials): Promise<void>
  /**
   * Whether the provider answers at all, as anybody. Returns how long that took, and its clock minus ours in ms (0 if
   * it does not tell). Fails with `unreachable`.
   */
  probe(): Promise<{ tookMs: number; clockAheadMs: number }>
  /** Reads a page of the groups that the instance is in. */
  groups(
    credentials: Credentials,
    page: { offset: number; count: number },
  ): Promise<ProviderPage<ProviderGroup>>
  /** Reads one group. Fails with `not_found` if the instance is not in the group. */
  group(credentials: Credentials, chatId: string): Promise<ProviderGroup>
  /** Reads a page of the channels of WhatsApp that the instance owns or follows. */
  channels(
    credentials: Credentials,
    page: { offset: number; count: number },
  ): Promise<ProviderPage<ProviderChannel>>
  /** Reads a page of the instance's contacts. Contacts without a name give no row. */
  contacts(
    credentials: Credentials,
    page: { offset: number; count: number },
  ): Promise<ProviderPage<{ personId: string; name: string }>>
  /**
   * Uploads a file and returns the id for `send`. The provider deletes the file some time later. A file that can't be
   * read to its end is `busy`. Rejects only if `file.open` rejects.
   */
  upload(credentials: Credentials, file: MediaFile): Promise<UploadOutcome>
  /** Sends a message. `to` is a chat id or the digits of a phone number. */
  send(
    credentials: Credentials,
    to: string,
    message: OutgoingMessage,
    mayWrite?: MayWrite,
  ): Promise<SendOutcome>
  /**
   * Reads all messages that the instance has sent to a chat since a time (unix seconds, by the provider's clock),
   * oldest first, page by page. `chatId` null reads those of all chats, but not the posts to channels. Fails in the
   * course of the iteration.
   */
  ownMessages(
    credentials: Credentials,
    chatId: string | null,
    fromTimestamp: number,
  ): AsyncIterable<OwnMessages>
  /**
   * Reads all private messages that the instance has received since a time (unix seconds, by the provider's clock),
   * oldest first, page by page. Fails in the course of the iteration.
   */
  incomingMessages(credentials: Credentials, fromTimestamp: number): AsyncIterable<IncomingMessages>
  /** Checks whether phone numbers (digits only) are on WhatsApp. Many checks at once draw attention to the instance. */
  checkNumbers(credentials: Credentials, phones: string[]): Promise<NumberCheck[]>
  /** Reads the LIDs (digits only) of phone numbers. A number without a known LID is missing. */
  lidsOf(credentials: Credentials, phones: string[]): Promise<Map<string, string>>
  /** Reads the phone number behind a LID (digits only). Returns null if the provider does not tell. Never throws. */
  phoneOf(credentials: Credentials, lid: string): Promise<string | null>
  /** Reads the receipts of a sent message, for instances without a webhook. Empty until the message is delivered. */
  messageStatus(credentials: Credentials, chatId: string, providerMessageId: string): Promise<Receipt[]>
  /** Reads the results of a poll that the instance has sent. Returns null if the provider knows no such poll. */
  pollResults(credentials: Credentials, providerMessageId: string): Promise<PollResults | null>
  /** Whether the number of calls is limited, as on a trial. Make only necessary calls then. */
  isMetered(credentials: Credentials): Promise<boolean>
  /** Sets our webhook, replacing any with the same key. Webhooks of other programs stay. */
  setWebhook(credentials: Credentials, webhook: Webhook): Promise<void>
  /** Removes our webhook with that key, if there is one. */
  removeWebhook(credentials: Credentials, key: string): Promise<void>
  /** Parses the body of a webhook call. Ignores everything that it does not know. Never throws. */
  readEvent(body: unknown): ProviderEvent
}

/** The providers of this process. */
export type Providers = {
  live: Provider
  /** Null if the process has no simulator. */
  test: Provider | null
  /** Whether the operator forbids test mode (TEST_MODE=off). There is no simulator then. */
  forbidsTestMode?: boolean
}

/**
 * Returns the provider of an instance. Null for a test-mode instance in a process without a simulator.
 *
 * This is the only choice of a provider. A second live one implements `Provider`, is opened by `openProviders` and
 * chosen here by a column beside `is_test`, which `tokenColumns` sets from the token (features/instances) and the
 * engine reads with it (`InstanceToken`, engine/context.ts). Its calls need an address beside `webhooks.whapi`.
 */
export const providerOf = (providers: Providers, { isTest }: { isTest: boolean }): Provider | null =>
  isTest ? providers.test : providers.live
