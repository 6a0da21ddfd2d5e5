import type { FastifyInstance } from 'fastify'
import { healthOf, isRestricted } from './channels.ts'
import { booleanOf, fieldsOf } from './parameters.ts'
import { Refusal } from './refusal.ts'
import { changeSettings, eventTypes, withDefaults } from './settings.ts'
import type { World } from './world.ts'

/** Health, limits and settings: what concerns the channel itself. None of it needs a linked number. */
export function channelRoutes(app: FastifyInstance, world: World): void {
  const { channels } = world
  app.get('/health', async ({ channel, query }) => {
    if (booleanOf(fieldsOf(query), 'wakeup') ?? true) channels.wake(channel)
    return { channel_id: channel.channelId, ...healthOf(channel, channels.state(channel)) }
  })

  /** 204 means "no limits", as on a paid channel. */
  app.get('/limits', async (_request, reply) => reply.code(204).send())

  /** 204 where nothing is restricted; newer than the provider's published description. */
  app.get('/business/limits/reachout_timelock', async ({ channel }, reply) => {
    if (!isRestricted(channel, world.now())) return reply.code(204).send()
    return { is_restricted: true, restricted_until: channel.restrictedUntil, restriction_type: 'default' }
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
    eventTypes.flatMap((type) => ['post', 'put', 'patch', 'delete'].map((method) => ({ type, method }))),
  )
}
