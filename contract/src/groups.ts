import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { groupKinds } from './list-filters.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Instant, idList, idParams, Named } from './values.ts'

const GroupKind = z.enum(groupKinds)

export const Group = z
  .object({
    id: z.number(),
    name: z.string(),
    /** A group, or a channel of WhatsApp that the instance may post to. */
    kind: GroupKind,
    /** The members of a group, or the followers of a channel. */
    participantCount: z.number(),
    /** When the groups of the instance were last read completely. */
    lastSyncAt: Instant.nullable(),
    /** Whether the instance has left the group, or may no longer post. It is kept, because jobs refer to it. */
    hasLeft: z.boolean(),
    /** Whether only the group's admins may write, and the instance is not one of them. */
    isClosed: z.boolean(),
    instance: Named,
  })
  .meta({ id: 'Group' })
export type Group = z.output<typeof Group>

export const GroupListQuery = listQuery(['id', 'name', 'participantCount', 'lastSyncAt'], {
  sortBy: 'name',
  sortDirection: 'asc',
}).extend({
  /** Without it, groups and channels. */
  kind: blankable(GroupKind.optional()),
})

/** A list query limited to some instances. An empty `instanceIds` means all instances of the user. */
export const GroupSearch = GroupListQuery.extend({ instanceIds: idList(1000).default([]) })
export type GroupSearch = z.output<typeof GroupSearch>

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/groups',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'List the groups and channels of your instances',
    query: GroupListQuery,
    response: page(Group),
  }),
  search: endpoint({
    method: 'POST',
    path: '/groups/search',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'Search the groups and channels of some instances',
    body: GroupSearch,
    response: page(Group),
  }),
  exportParticipants: endpoint({
    method: 'GET',
    path: '/groups/:id/participants/export',
    access: 'canExportParticipants',
    allowsApiKeys: true,
    summary: 'The participants of a group as an Excel file',
    params: idParams,
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
}
