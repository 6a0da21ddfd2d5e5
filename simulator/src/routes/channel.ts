import type { FastifyInstance } from 'fastify'
import { isRestricted } from '../state/channels.ts'
import { newChatsOf } from '../state/new-chats.ts'
import { changeSettings, eventTypes, withDefaults } from '../state/settings.ts'
import type { State } from '../state/state.ts'
import { verbs } from '../webhooks/webhooks.ts'
import { wireHealth } from '../wire/health.ts'
import { booleanOf, fieldsOf } from '../wire/parameters.ts'
import { Refusal } from '../wire/refusal.ts'

/** Adds `/health`, `/limits`, `/business/limits` and `/settings`. None of them needs a linked number. */
export function channelRoutes(app: FastifyInstance, state: State): void {
  const { channels } = state
  app.get('/health', async ({ channel, query }) => {
    if (booleanOf(fieldsOf(query), 'wakeup') ?? true) channels.wake(channel)
    return { channel_id: channel.channelId, ...wireHealth(channel, channels.state(channel)) }
  })

  // 204 means "no limits", as on a paid channel.
  app.get('/limits', async (_request, reply) => reply.code(204).send())

  // 204 means "not restricted". The path is newer than Whapi's OpenAPI file 1.8.7; third-party clients name it.
  app.get('/business/limits/reachout_timelock', async ({ channel }, reply) => {
    if (!isRestricted(channel, state.now())) return reply.code(204).send()
    return { is_restricted: true, restricted_until: channel.restrictedUntil, restriction_type: 'default' }
  })

  // 204 means "no limit". Newer than the OpenAPI file, too; the fields are those that third parties have seen.
  app.get('/business/limits/new_chat', async ({ channel }, reply) => {
    const now = state.now()
    const limit = newChatsOf(channel, state.ledger, now)
    if (!limit) return reply.code(204).send()
    return {
      cap_type: 'individual_new_chat_thread',
      is_capped: limit.status === 'capped',
      cap_status: limit.status,
      quota_limit: limit.quota,
      quota_used: limit.used,
      quota_remaining: Math.max(0, limit.quota - limit.used),
      cycle_start_at: limit.cycleStart,
      cycle_end_at: limit.cycleEnd,
      updated_at: Math.floor(now / 1000),
      ote_status: 'not_eligible',
      mv_status: 'not_eligible',
    }
  })

  app.get('/settings', async ({ channel }) => withDefaults(channel.settings))

  app.patch('/settings', async ({ channel, body }) => {
    const before = withDefaults(channel.settings)
    const { settings, changes } = changeSettings(channel.settings, fieldsOf(body))
    channels.saveSettings(channel, settings)
    return { before_update: before, after_update: withDefaults(settings), changes }
  })

  app.delete('/settings', async ({ channel }) => {
    if (Object.keys(channel.settings).length === 0) throw new Refusal(409, 'settings already reset')
    channels.saveSettings(channel, {})
    return { success: true }
  })

  app.get('/settings/events', async () =>
    eventTypes.flatMap((type) => verbs.map((method) => ({ type, method }))),
  )
}
