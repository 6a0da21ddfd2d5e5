import type { FastifyInstance } from 'fastify'
import { findGroup, groupAt, participantsOf, type SeededGroup } from '../seed/groups.ts'
import type { Channel } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import { groupIdPattern } from '../wire/identifiers.ts'
import { booleanOf, fieldsOf, pageOf } from '../wire/parameters.ts'
import { refuse } from '../wire/refusal.ts'

/** Adds `GET /groups` and `GET /groups/:id`. */
export function groupRoutes(app: FastifyInstance, { channels, groupNumbers }: State): void {
  const { groupsPerChannel } = groupNumbers
  app.get('/groups', async ({ channel, query }) => {
    const { count, offset } = pageOf(query)
    channels.requireReader(channel)
    const length = Math.max(0, Math.min(count, groupsPerChannel - offset))
    const groups = Array.from({ length }, (_, i) =>
      wireGroup(channel, groupAt(channel.seed, offset + i, groupNumbers)),
    )
    return { groups, count, total: groupsPerChannel, offset }
  })

  app.get<{ Params: { id: string } }>('/groups/:id', async ({ channel, params, query }) => {
    if (!groupIdPattern.test(params.id)) throw refuse.parameters('GroupID is malformed')
    booleanOf(fieldsOf(query), 'resync') // checked, but without effect: groups are never out of date
    channels.requireReader(channel)
    const group = findGroup(channel.seed, params.id, groupNumbers)
    if (!group) throw refuse.notFound('group')
    return wireGroup(channel, group)
  })
}

function wireGroup(channel: Channel, group: SeededGroup) {
  const participants = participantsOf(channel.seed, group, channel.number)
  return {
    id: group.id,
    ...(group.name === undefined ? {} : { name: group.name, name_at: group.createdAt }),
    type: 'group',
    timestamp: group.createdAt + 86_400,
    not_spam: true,
    ...(group.hidesParticipants ? {} : { participants, participants_count: group.size }),
    created_at: group.createdAt,
    created_by: participants.find(({ rank }) => rank === 'creator')?.id,
    restricted: false,
    announcements: group.announcements,
    isCommunityAnnounce: group.isCommunityAnnounce,
  }
}
