import type { News, Receipt, Webhook } from './provider.ts'
import { webhookSecretHeader } from './provider.ts'
import { accountState, type Fields, fieldsOf, listOf, personIdOf, textOf } from './whapi-wire.ts'

/** What we ask to be told of. Own messages and chats would be many, and tell nothing we need. */
const events = [
  ['statuses', 'post'],
  ['statuses', 'put'],
  ['channel', 'post'],
  ['users', 'post'],
  ['users', 'delete'],
  ['groups', 'post'],
  ['groups', 'put'],
  ['groups', 'patch'],
].map(([type, method]) => ({ type, method }))

/** By the name: the numeric codes are not all known. `pending` and `sent` say nothing new, `deleted` nothing of ours. */
const states: Record<string, Receipt['state']> = {
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
}

const longest = 200

/** The status of a message, or of one viewer of it; null for what tells nothing. */
export function receiptOf(fields: Fields): Receipt | null {
  const { id, status, viewer_id, timestamp, errors } = fields
  const state = states[textOf(status)]
  const providerMessageId = textOf(id)
  const viewer = personIdOf(viewer_id)
  if (!state || !providerMessageId || providerMessageId.length > longest || viewer.length > longest)
    return null
  return {
    ...{ providerMessageId, state },
    viewer: viewer || null,
    at: instantOf(timestamp),
    detail: state === 'failed' ? errorOf(errors) : '',
  }
}

export const receiptsOf = (json: unknown): Receipt[] =>
  listOf(fieldsOf(json).statuses)
    .map(receiptOf)
    .filter((receipt) => receipt !== null)

/** Unix seconds, which come as a text here and as a number elsewhere. */
function instantOf(timestamp: unknown): string | null {
  const seconds = typeof timestamp === 'string' && timestamp ? Number(timestamp) : timestamp
  // From 2001 to 2286: all else is no time.
  return typeof seconds === 'number' && seconds > 1e9 && seconds < 1e10
    ? new Date(seconds * 1000).toISOString()
    : null
}

function errorOf(errors: unknown): string {
  const [first = {}] = listOf(errors)
  const words = [textOf(first.message), textOf(first.details)].filter(Boolean).join(': ')
  return (words || String(first.code ?? 'failed')).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, longest)
}

/** What one webhook call tells. */
export function newsOf(body: unknown): News {
  const { event, health, user, groups, groups_participants, groups_updates } = fieldsOf(body)
  return {
    receipts: receiptsOf(body),
    account: accountOf(health, user, verbOf(event)),
    groupsChanged: [groups, groups_participants, groups_updates].some(Array.isArray),
  }
}

/** The payloads say `event`, the description `method`. */
const verbOf = (event: unknown) => textOf(fieldsOf(event).event) || textOf(fieldsOf(event).method)

function accountOf(health: unknown, user: unknown, verb: string): News['account'] {
  if (user !== undefined && verb === 'delete') return { status: 'NeedsLogin', linkedNumber: null }
  if (user !== undefined) return accountState({ status: { text: 'AUTH' }, user })
  const state = accountState(fieldsOf(health))
  // Brief reconnects during the day are normal: they are not worth a word.
  return state && state.status !== 'Connecting' && state.status !== 'Unknown' ? state : null
}

/** The list of webhooks with ours in it (without it: `webhook` null); null where it is so already. */
export function webhooksWith(settings: unknown, key: string, webhook: Webhook | null): object[] | null {
  const { webhooks } = fieldsOf(settings)
  const all = listOf(webhooks)
  const isOurs = ({ url }: Fields) => textOf(url).endsWith(`/${key}`)
  const ours = all.filter(isOurs)
  const wanted = webhook ? [{ url: webhook.url, mode: 'body', headers: headersOf(webhook), events }] : []
  const isSo = ours.length === wanted.length && ours.every((one) => isSame(one, wanted[0]))
  return isSo ? null : [...all.filter((one) => !isOurs(one)), ...wanted]
}

const headersOf = ({ secret }: Webhook) => ({ [webhookSecretHeader]: secret })

type Wanted = { url: string; headers: Record<string, string> }

/** By what we set: the provider may add fields of its own, and write a header's name differently. */
function isSame(one: Fields, wanted: Wanted | undefined): boolean {
  const set = listOf(one.events).map(({ type, method }) => `${textOf(type)} ${textOf(method)}`)
  const headers = Object.entries(fieldsOf(one.headers)).map(
    ([name, value]) => `${name.toLowerCase()} ${value}`,
  )
  return (
    wanted !== undefined &&
    one.url === wanted.url &&
    headers.includes(`${webhookSecretHeader} ${wanted.headers[webhookSecretHeader]}`) &&
    events.every(({ type, method }) => set.includes(`${type} ${method}`))
  )
}
