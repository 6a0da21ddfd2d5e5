import type { InstanceStatus } from '@sendroom/contract/instance-status'
import type { Reason } from '@sendroom/contract/values'
import {
  type InstanceProblem,
  ProviderFailure,
  type ProviderGroup,
  type SendOutcome,
  type UploadOutcome,
} from './provider.ts'
import type { Answer, Reply } from './whapi-http.ts'
import { errorWords, groupOf, mediaIdOf, retryAfterMs, sentMessage } from './whapi-wire.ts'

const unreachable: Reason = { code: 'provider_unreachable', params: {} }
const unreadable: Reason = { code: 'provider_unreadable', params: {} }
const fileUnreadable: Reason = { code: 'image_store_down', params: {} }
const slowDown: Reason = { code: 'provider_busy', params: {} }

/**
 * Turns the reply to a send into its outcome. Only this function decides whether a message may be sent again. The
 * statuses are those of the OpenAPI file, and of the gateways in front of the API.
 */
export function sendOutcome(reply: Reply, { isMedia }: { isMedia: boolean }): SendOutcome {
  const { answer } = reply
  if (!answer) {
    return reply.written
      ? { kind: 'unknown', reason: unreachable }
      : { kind: 'busy', reason: unreachable, retryAfterMs: null }
  }
  if (answer.status >= 200 && answer.status < 300) return acceptedOutcome(answer)
  const refused = refusedCall(answer)
  if (refused) return refused
  // A gateway that answers 408 may have passed the message on. The API itself never answers 3xx.
  if (answer.status >= 500 || answer.status === 408 || answer.status < 400) {
    return { kind: 'unknown', reason: errorReason(answer) }
  }
  if (noFirstMessage.test(errorWords(answer))) return { kind: 'no_first_message' }
  if (
    isMedia &&
    answer.status === 404 &&
    !/chat|group|contact|recipient|newsletter/i.test(errorWords(answer))
  ) {
    return { kind: 'media_gone' }
  }
  return { kind: 'rejected', reason: rejection(answer) }
}

/**
 * WhatsApp's error 463 means that the account is locked, or that this one person can't be written to first. Its looks
 * through Whapi are unconfirmed: accept its number and the words of other libraries.
 * https://github.com/WhiskeySockets/Baileys/issues/2441, https://github.com/evolution-foundation/evolution-go/issues/50
 */
const noFirstMessage = /\b463\b|\breach-?out|\bnew chats?\b|\b(tc|privacy) ?token\b/i

/** Turns the reply to an upload into its outcome. Everything but a clear refusal is `busy`: an upload sends nothing. */
export function uploadOutcome(reply: Reply): UploadOutcome {
  const { answer } = reply
  if (!answer) {
    return { kind: 'busy', reason: reply.isBodyBroken ? fileUnreadable : unreachable, retryAfterMs: null }
  }
  const { status } = answer
  if (status >= 200 && status < 300) {
    const mediaId = mediaIdOf(answer.json)
    return mediaId ? { kind: 'uploaded', mediaId } : { kind: 'busy', reason: unreadable, retryAfterMs: null }
  }
  const refused = refusedCall(answer)
  if (refused) return refused
  if (status === 413) return { kind: 'rejected', reason: { code: 'content_too_large', params: {} } }
  if (status === 400 || status === 415)
    return { kind: 'rejected', reason: { code: 'media_refused', params: {} } }
  if (status === 403 || status === 404 || status === 405) {
    return { kind: 'rejected', reason: { code: 'media_missing', params: {} } }
  }
  return { kind: 'busy', reason: errorReason(answer), retryAfterMs: retryAfterMs(answer) }
}

/** Returns the answer of a call other than a send or upload. Throws `ProviderFailure` if the call failed. */
export function goodAnswer({ answer }: Reply): Answer {
  if (!answer) throw new ProviderFailure('unreachable', unreachable)
  const { status } = answer
  if (status >= 200 && status < 300) return answer
  const refused = refusedCall(answer)
  if (refused?.kind === 'account') {
    throw new ProviderFailure('account', refused.reason, { status: problemStatus[refused.problem] })
  }
  if (refused) throw new ProviderFailure('busy', refused.reason, { retryAfterMs: refused.retryAfterMs })
  const kind =
    status === 409 ? 'conflict' : status === 404 ? 'not_found' : status < 500 ? 'refused' : 'unreachable'
  throw new ProviderFailure(kind, errorReason(answer))
}

/** Returns what was parsed from an answer. Throws `ProviderFailure` if that is null. */
export function readable<T>(read: T | null): T {
  if (read === null) throw new ProviderFailure('unreachable', unreadable)
  return read
}

/** Returns the group of an answer. The API answers 403 or 404 for a group that the instance is not in. */
export function groupIn(reply: Reply): ProviderGroup {
  if (reply.answer?.status === 403 && !instanceProblem(reply.answer)) {
    throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
  }
  return readable(groupOf(goodAnswer(reply).json))
}

/** The status to show for an instance with this problem. */
export const problemStatus: Record<InstanceProblem, InstanceStatus> = {
  account_not_linked: 'NeedsLogin',
  account_unpaid: 'Unpaid',
  account_bad_token: 'BadToken',
  account_restricted: 'Disconnected',
}

/** Returns the problem of the instance that this answer reveals, or null. */
export function instanceProblem(answer: Answer): InstanceProblem | null {
  const words = errorWords(answer)
  // Whapi's own agent skill says that a wrong token answers 404. Third parties have seen 401.
  // https://github.com/Whapi-Cloud/whapi-whatsapp-api-skill
  if (answer.status === 404 && /channel not found/i.test(words)) return 'account_bad_token'
  if (answer.status === 401) return /\btoken\b/i.test(words) ? 'account_bad_token' : 'account_not_linked'
  if (answer.status === 402) return 'account_unpaid'
  // No source gives the words for a restricted account. Accept only words that can't refer to a chat.
  const restricted = /\b(account|channel)\b.*\b(restricted|banned|suspended)\b|timelock/i
  return answer.status === 403 && restricted.test(words) ? 'account_restricted' : null
}

/** Recognises answers that mean the same for every call: too fast, or a problem of the instance. Nothing was sent. */
function refusedCall(answer: Answer) {
  if (answer.status === 429) {
    return { kind: 'busy', reason: slowDown, retryAfterMs: retryAfterMs(answer) } as const
  }
  const problem = instanceProblem(answer)
  return problem && ({ kind: 'account', problem, reason: { code: problem, params: {} } } as const)
}

function acceptedOutcome({ json }: Answer): SendOutcome {
  const message = sentMessage(json)
  if (message.sent === false) {
    return { kind: 'rejected', reason: { code: 'refused', params: { detail: 'sent: false' } } }
  }
  return message.sent && message.id
    ? { kind: 'sent', providerMessageId: message.id }
    : { kind: 'unknown', reason: unreadable }
}

function rejection(answer: Answer): Reason {
  const detail = errorWords(answer) || `HTTP ${answer.status}`
  switch (answer.status) {
    case 400:
      return badRequest(detail)
    case 403:
      return { code: 'not_allowed', params: {} }
    case 404:
      return { code: 'chat_not_found', params: {} }
    case 413:
      return { code: 'content_too_large', params: {} }
    case 415:
      return { code: 'media_refused', params: {} }
    default:
      return { code: 'refused', params: { detail } }
  }
}

/** A 400 names the mistake only in words. */
function badRequest(detail: string): Reason {
  if (/not (registered )?(on|in) whatsapp|invalid phone/i.test(detail)) {
    return { code: 'not_on_whatsapp', params: {} }
  }
  // "2 to 12 options" is no recipient.
  const isOfContent = /\b(title|options?|poll|latitude|longitude|mentions?)\b/i.test(detail)
  if (!isOfContent && /\b(to|recipient|chat ?id)\b/i.test(detail)) {
    return { code: 'bad_recipient', params: { detail } }
  }
  if (isOfContent || /\b(body|caption|media|text)\b/i.test(detail))
    return { code: 'content_refused', params: { detail } }
  return { code: 'refused', params: { detail } }
}

function errorReason({ status }: Answer): Reason {
  return status >= 400 ? { code: 'provider_error', params: { status } } : unreadable
}
