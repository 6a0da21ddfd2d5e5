import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listQuery, page } from './paging.ts'
import { Instant, idList, idParams, Named } from './values.ts'

export const Group = z
  .object({
    id: z.number(),
    name: z.string(),
    participantCount: z.number(),
    /** When the groups of the instance were last read completely. */
    lastSyncAt: Instant.nullable(),
    /** Whether the instance has left the group. The group is kept, because jobs refer to it. */
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
})

/** A list query limited to some instances. An empty `instanceIds` means all instances of the user. */
export const GroupSearch = GroupListQuery.extend({ instanceIds: idList(1000).default([]) })
export type GroupSearch = z.output<typeof GroupSearch>

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/groups',
    access: 'signedIn',
    summary: 'List the groups of your instances',
    query: GroupListQuery,
    response: page(Group),
  }),
  search: endpoint({
    method: 'POST',
    path: '/groups/search',
    access: 'signedIn',
    summary: 'Search the groups of some instances',
    body: GroupSearch,
    response: page(Group),
  }),
  exportParticipants: endpoint({
    method: 'GET',
    path: '/groups/:id/participants/export',
    access: 'canExportParticipants',
    summary: 'The participants of a group as an Excel file',
    params: idParams,
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
}
