import { booleanOf, type Fields, fieldsOf, numberOf, textOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** The event types that webhooks may subscribe to. */
export const eventTypes = ['messages', 'statuses', 'chats', 'contacts', 'groups', 'channel', 'users']

const defaults = {
  callback_backoff_delay_ms: 3000,
  max_callback_backoff_delay_ms: 900_000,
  callback_persist: true,
  media: { auto_download: [], init_avatars: false },
  webhooks: [],
  proxy: '',
  offline_mode: false,
  full_history: false,
}

/** Returns a channel's settings with defaults for missing fields. */
export function withDefaults(settings: Fields): Fields {
  return { ...defaults, ...settings }
}

/**
 * Returns the settings after a patch, and the names of the patched fields. Missing fields stay, unknown fields are
 * ignored, `webhooks` is replaced as a whole. Throws a 400 refusal for values outside Whapi's ranges, which come from
 * its OpenAPI file 1.8.7.
 */
export function changeSettings(current: Fields, wanted: Fields): { settings: Fields; changes: string[] } {
  const patch = Object.fromEntries(Object.entries(wanted).filter(([name]) => Object.hasOwn(defaults, name)))
  numberOf(patch, 'callback_backoff_delay_ms', 3000, 15_000)
  numberOf(patch, 'max_callback_backoff_delay_ms', 600_000, 3_600_000)
  for (const name of ['callback_persist', 'offline_mode', 'full_history']) booleanOf(patch, name)
  if (patch.webhooks !== undefined) checkWebhooks(patch.webhooks)
  return { settings: { ...current, ...patch }, changes: Object.keys(patch) }
}

function checkWebhooks(webhooks: unknown) {
  if (!Array.isArray(webhooks)) throw refuse.parameters('webhooks should be array')
  for (const webhook of webhooks.map(fieldsOf)) {
    if (!/^https?:\/\//.test(textOf(webhook, 'url') ?? ''))
      throw refuse.parameters('webhook url should be http(s)')
    if (!['body', 'path', 'method'].includes(textOf(webhook, 'mode') ?? 'body')) {
      throw refuse.parameters('webhook mode should be body, path or method')
    }
    if (Object.keys(fieldsOf(webhook.headers ?? {})).length > 5) {
      throw refuse.parameters('a webhook has at most 5 headers')
    }
  }
}
