import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'

/** What a provider needs to know to act for an account. */
export type Account = { token: string }

/** Why an account as a whole cannot send now. */
export type AccountProblem =
  | 'account_not_linked'
  | 'account_unpaid'
  | 'account_bad_token'
  | 'account_restricted'

/**
 * What is known after an attempt to send. The engine decides on this and on nothing else.
 * Every attempt ends as exactly one of these; sending never throws.
 */
export type SendOutcome =
  | { kind: 'sent'; providerMessageId: string }
  /** It said no to this message or recipient; asking again cannot help. */
  | { kind: 'rejected'; reason: Reason }
  /** It no longer knows the uploaded image: surely not sent, upload again. */
  | { kind: 'media_gone' }
  /** Surely nothing went out; ask again later (`retryAfterMs` where the provider said when). */
  | { kind: 'busy'; reason: Reason; retryAfterMs: number | null }
  /** This account can't send now; surely nothing went out. */
  | { kind: 'account'; problem: AccountProblem; reason: Reason }
  /** It may have gone out; it must be looked up, never sent again blindly. */
  | { kind: 'unknown'; reason: Reason }

/** An upload sends nothing to anybody, so it may be tried again at will: there is no `unknown`. */
export type UploadOutcome =
  | { kind: 'uploaded'; mediaId: string }
  | Extract<SendOutcome, { kind: 'rejected' | 'busy' | 'account' }>

export type AccountState = {
  status: InstanceStatus
  /** The linked number, digits only, while connected. */
  linkedNumber: string | null
}

export type ProviderGroup = {
  chatId: string
  name: string
  /** Null where the provider left them out: what is known stays. */
  participants: { personId: string; rank: 'member' | 'admin' | 'creator' }[] | null
  participantCount: number | null
  /** Only admins may write into it. */
  isAdminsOnly: boolean
}

/**
 * One page of a list that the provider pages by offset; `total` counts all pages. What says nothing is no row, but
 * counts for `next`, the offset of the page after it.
 */
export type ProviderPage<T> = { rows: T[]; next: number; total: number }

/** A message of ours as the provider lists it. */
export type OwnMessage = {
  id: string
  kind: 'text' | 'image' | 'other'
  /** The text, or the image's caption. */
  text: string
  /** Unix seconds, by the provider's clock. */
  timestamp: number
  /** Written on the phone itself, so not by us. */
  fromPhone: boolean
}

export type OwnMessages = {
  messages: OwnMessage[]
  /** The provider's clock minus ours in ms, from its Date header (whole seconds); 0 where it has none. */
  clockAheadMs: number
}

/** What the provider tells of a message that went out. In a group each member gets and reads it apart. */
export type Receipt = {
  providerMessageId: string
  state: 'delivered' | 'read' | 'failed'
  /** The member of a group; null for the message as a whole. */
  viewer: string | null
  /** ISO 8601, by the provider's clock; null where it does not say. */
  at: string | null
  /** Why it failed, in the provider's words; else empty. */
  detail: string
}

/** What one call of our webhook has told. */
export type News = {
  receipts: Receipt[]
  /** How the account is linked now; null when nothing was said, or only that it is connecting. */
  account: AccountState | null
  groupsChanged: boolean
}

/** Where the provider is to tell its news: the `url` ends in `key`, by which ours is known among others. */
export type Webhook = { key: string; url: string; secret: string }

/** The header of a webhook call that carries the webhook's secret, in the form of Node's names. */
export const webhookSecretHeader = 'x-sendroom-secret'

/** A call that did not succeed, other than a send. `retryAfterMs` where the provider said when to come back. */
export class ProviderFailure extends Error {
  readonly kind: 'refused' | 'busy' | 'account' | 'unreachable' | 'conflict' | 'not_ready' | 'not_found'
  readonly reason: Reason
  readonly status: InstanceStatus | null
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
 * Asked once, in the tick that writes the request: connecting may have taken seconds. When it says no, nothing
 * goes out and the send ends as `busy`.
 */
export type MayWrite = () => boolean

/**
 * What stands between Sendroom and WhatsApp. Every call has a timeout.
 * All calls but the sends and the upload throw `ProviderFailure`.
 */
export interface Provider {
  /** How the account is linked; `wake` also starts a sleeping account. Never throws for a bad token: that is a status. */
  status(account: Account, options?: { wake?: boolean }): Promise<AccountState>
  /**
   * Whether WhatsApp keeps the account from writing to new people, and until when (ISO 8601; null: it does not say).
   * Null where it does not, and where nobody knows: the call is optional, and never throws.
   */
  restriction(account: Account): Promise<{ until: string | null } | null>
  /** When the account's term ends (ISO 8601); null where the provider does not tell us. Optional, and never throws. */
  expiry(account: Account): Promise<string | null>
  /** The QR code as a data URI of a PNG. `not_ready`: ask again; `conflict`: already linked. */
  qr(account: Account): Promise<string>
  /** The pairing code for this phone number (digits only). */
  pairingCode(account: Account, phone: string): Promise<string>
  /** Unlinks the account. `conflict`: it was not linked. */
  logout(account: Account): Promise<void>
  groups(account: Account, page: { offset: number; count: number }): Promise<ProviderPage<ProviderGroup>>
  /** One group; `not_found` when the account is not in it. */
  group(account: Account, chatId: string): Promise<ProviderGroup>
  /** Names of people in the account's contacts. */
  contacts(
    account: Account,
    page: { offset: number; count: number },
  ): Promise<ProviderPage<{ personId: string; name: string }>>
  uploadImage(account: Account, image: { bytes: Uint8Array; mimeType: string }): Promise<UploadOutcome>
  /** `to`: a chat id, or the digits of a phone number. */
  sendText(account: Account, to: string, text: string, mayWrite?: MayWrite): Promise<SendOutcome>
  sendImage(
    account: Account,
    to: string,
    image: { mediaId: string; caption: string },
    mayWrite?: MayWrite,
  ): Promise<SendOutcome>
  /** Own messages of a chat from a time on (unix seconds, provider's clock), all pages. */
  ownMessages(account: Account, chatId: string, fromTimestamp: number): Promise<OwnMessages>
  /** What is known of a message that went out, where no webhook tells. Empty while it is only sent. */
  messageStatus(account: Account, chatId: string, providerMessageId: string): Promise<Receipt[]>
  /** Whether the account's calls are counted, as on a trial: what nobody waits for is not asked then. */
  isMetered(account: Account): Promise<boolean>
  /** Sets our webhook, in place of any of ours there was; everybody else's stay. */
  setWebhook(account: Account, webhook: Webhook): Promise<void>
  /** Takes the webhook of that key back. */
  removeWebhook(account: Account, key: string): Promise<void>
  /** Reads the body of a webhook call. Never throws: what it does not know, tells nothing. */
  readNews(body: unknown): News
}

/** The providers of this process; `test` is null where no simulator is configured. */
export type Providers = { live: Provider; test: Provider | null }

/** The provider of an instance; null for a test-mode instance in a process without a simulator. */
export const providerOf = (providers: Providers, { isTest }: { isTest: boolean }): Provider | null =>
  isTest ? providers.test : providers.live
