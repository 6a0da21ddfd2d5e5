import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Id, Instant, idList, idParams, key, Named, ReadVersion } from './values.ts'

const groupSetShape = {
  id: z.number(),
  name: z.string(),
  instance: Named,
  groupCount: z.number(),
  leftCount: z.number().meta({ description: 'How many of the groups the account has left' }),
  isForAll: z.boolean().meta({ description: 'Whether everybody who sees the account may use it' }),
  canChange: z.boolean().meta({ description: 'Whether you own the set or are an Admin' }),
  createdByUserName: z.string(),
  createdAt: Instant,
  /** Increases with each edit by a person. */
  version: z.number(),
}

/** A named set of groups of one account, to which jobs are sent. */
export const GroupSetRow = z.object(groupSetShape).meta({ id: 'GroupSetRow' })
export type GroupSetRow = z.output<typeof GroupSetRow>

export const GroupSet = z
  .object({
    ...groupSetShape,
    groups: z.array(Named.extend({ hasLeft: z.boolean() })),
    users: z.array(Named).meta({
      description: 'The users who may use it besides the owner. Empty for those who can’t change the set',
    }),
  })
  .meta({ id: 'GroupSet' })
export type GroupSet = z.output<typeof GroupSet>

const form = z.object({
  name: z
    .string(key('GROUP_SET_FORM.NAME_INVALID'))
    .normalize('NFC')
    .trim()
    .min(1, key('GROUP_SET_FORM.NAME_INVALID'))
    .max(limits.listName, key('GROUP_SET_FORM.NAME_INVALID')),
  groupIds: idList(limits.groupSetGroups, { tooMany: key('GROUP_SET_FORM.TOO_MANY_GROUPS') }),
  isForAll: z.boolean().default(false),
  userIds: idList(limits.pageSizeMax).default([]),
})

export const NewGroupSet = form.extend({ instanceId: Id })
export type NewGroupSet = z.output<typeof NewGroupSet>

/** Replaces everything but the account. */
export const GroupSetChange = form.extend({ version: ReadVersion })
export type GroupSetChange = z.output<typeof GroupSetChange>

export const GroupSetsQuery = listQuery(['id', 'name', 'createdAt'], {
  sortBy: 'name',
  sortDirection: 'asc',
}).extend({ instanceId: blankable(Id.optional()) })
export type GroupSetsQuery = z.output<typeof GroupSetsQuery>

export const groupSets = {
  list: endpoint({
    method: 'GET',
    path: '/group-sets',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'The sets of groups that you may use, of all your accounts or of one',
    query: GroupSetsQuery,
    response: page(GroupSetRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/group-sets/:id',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'One set with its groups, also those that the account has left',
    params: idParams,
    response: GroupSet,
  }),
  create: endpoint({
    method: 'POST',
    path: '/group-sets',
    access: 'canCreateJobs',
    summary: 'Create a set of groups',
    body: NewGroupSet,
    response: GroupSet,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/group-sets/:id',
    access: 'canCreateJobs',
    summary: 'Change a set of groups, as its owner or an Admin',
    params: idParams,
    body: GroupSetChange,
    response: GroupSet,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/group-sets/:id',
    access: 'canCreateJobs',
    summary:
      'Delete a set of groups, as its owner or an Admin. The groups and the jobs that were sent to them stay',
    params: idParams,
  }),
  users: endpoint({
    method: 'GET',
    path: '/instances/:id/members',
    access: 'canCreateJobs',
    summary: 'The Members who see an account, with whom its sets of groups can be shared',
    params: idParams,
    response: z.object({ users: z.array(Named) }),
  }),
}
