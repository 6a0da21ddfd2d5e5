import type { PollResults, ProviderEvent, Receipt, Webhook } from './provider.ts'
import { webhookSecretHeader } from './provider.ts'
import { pollResultsOf } from './whapi-content.ts'
import { incomingMessageOf } from './whapi-incoming.ts'
import { type Fields, fieldsOf, instanceState, listOf, personIdOf, textOf } from './whapi-wire.ts'

/**
 * The events that we subscribe to. `messages` has those of groups and our own, too: no filter can leave them out. Its
 * `patch` has the votes in polls.
 */
const events = [
  ['messages', 'post'],
  ['messages', 'patch'],
  ['statuses', 'post'],
  ['statuses', 'put'],
  ['channel', 'post'],
  ['users', 'post'],
  ['users', 'delete'],
  ['groups', 'post'],
  ['groups', 'put'],
  ['groups', 'patch'],
].map(([type, method]) => ({ type, method }))

/**
 * Maps the names of Whapi's statuses, because its documents do not give all numeric codes. `pending` and `sent` say
 * nothing new, and `deleted` does not concern us.
 */
const states = new Map<string, Receipt['state']>([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
])

/** Bounds what a webhook call can make us store. Whapi's ids are much shorter. */
const maxLength = 200

/** Parses the status of a message, or of one viewer of it. Returns null if it says nothing that we store. */
export function receiptOf(fields: Fields): Receipt | null {
  const { id, status, viewer_id, timestamp, errors } = fields
  const state = states.get(textOf(status))
  const providerMessageId = textOf(id)
  const viewer = personIdOf(viewer_id)
  if (!state || !providerMessageId || providerMessageId.length > maxLength || viewer.length > maxLength)
    return null
  return {
    ...{ providerMessageId, state },
    viewer: viewer || null,
    at: instantOf(timestamp),
    detail: state === 'failed' ? errorOf(errors) : '',
  }
}

/** Parses a list of statuses: the body of a webhook call, or the answer of `/statuses/{id}`. */
export const receiptsOf = (json: unknown): Receipt[] =>
  listOf(fieldsOf(json).statuses)
    .map(receiptOf)
    .filter((receipt) => receipt !== null)

/** Parses unix seconds, which are a string in `statuses` and a number everywhere else. */
function instantOf(timestamp: unknown): string | null {
  const seconds = typeof timestamp === 'string' && timestamp ? Number(timestamp) : timestamp
  // Ignore times outside of the years 2001 to 2286.
  return typeof seconds === 'number' && seconds > 1e9 && seconds < 1e10
    ? new Date(seconds * 1000).toISOString()
    : null
}

function errorOf(errors: unknown): string {
  const [first = {}] = listOf(errors)
  const words = [textOf(first.message), textOf(first.details)].filter(Boolean).join(': ')
  return (words || String(first.code ?? 'failed')).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, maxLength)
}

/** Parses the body of a webhook call. Format: https://support.whapi.cloud, "Incoming webhooks format". */
export function eventOf(body: unknown): ProviderEvent {
  const { event, health, user, messages, groups, groups_participants, groups_updates } = fieldsOf(body)
  return {
    receipts: receiptsOf(body),
    incoming: listOf(messages)
      .map(incomingMessageOf)
      .filter((message) => message !== null),
    votes: votesOf(body),
    instance: instanceOf(health, user, verbOf(event)),
    groupsChanged: [groups, groups_participants, groups_updates].some(Array.isArray),
  }
}

/**
 * Parses new results of polls. Third parties have seen them as updates of the message; Whapi's agent skill has them as
 * messages of the type `poll_update`, under the poll's id: https://github.com/Whapi-Cloud/whapi-whatsapp-api-skill.
 */
function votesOf(body: unknown): PollResults[] {
  const { messages, messages_updates } = fieldsOf(body)
  const updated = listOf(messages_updates).map(({ id, after_update }) => ({ id, ...fieldsOf(after_update) }))
  const posted = listOf(messages).filter(({ type }) => type === 'poll_update')
  return [...updated, ...posted].map(pollResultsOf).filter((results) => results !== null)
}

/** The sample payloads call this field `event`, the OpenAPI file calls it `method`. */
const verbOf = (event: unknown) => textOf(fieldsOf(event).event) || textOf(fieldsOf(event).method)

function instanceOf(health: unknown, user: unknown, verb: string): ProviderEvent['instance'] {
  if (user !== undefined && verb === 'delete') return { status: 'NeedsLogin', linkedNumber: null }
  if (user !== undefined) return instanceState({ status: { text: 'AUTH' }, user })
  const state = instanceState(fieldsOf(health))
  // Brief reconnects during the day are normal.
  return state && state.status !== 'Connecting' && state.status !== 'Unknown' ? state : null
}

/**
 * Takes a channel's settings and returns its list of webhooks with ours, or without ours if `webhook` is null. Returns
 * null if the list is right already.
 */
export function webhooksWith(settings: unknown, key: string, webhook: Webhook | null): object[] | null {
  const { webhooks } = fieldsOf(settings)
  const all = listOf(webhooks)
  const isOurs = ({ url }: Fields) => textOf(url).endsWith(`/${key}`)
  const ours = all.filter(isOurs)
  const wanted = webhook ? [{ url: webhook.url, mode: 'body', headers: headersOf(webhook), events }] : []
  const isCurrent = ours.length === wanted.length && ours.every((one) => isSame(one, wanted[0]))
  return isCurrent ? null : [...all.filter((one) => !isOurs(one)), ...wanted]
}

const headersOf = ({ secret }: Webhook) => ({ [webhookSecretHeader]: secret })

type Wanted = { url: string; headers: Record<string, string> }

/** Compares only what we set. Whapi may add fields and change the case of a header's name. */
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
