import { z } from 'zod'
import { Changed, Contact, ContactFilter, ContactListQuery, ContactSelection, Value } from './contacts.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Instant, idList, idParams, key, Named, ReadVersion } from './values.ts'

const listKinds = ['fixed', 'filter'] as const

/**
 * A stored filter. Without another list, which could have one in turn, without imports and checks, which end,
 * and without opt-outs: nobody sends to those people.
 */
export const ListFilter = ContactFilter.omit({
  listId: true,
  importId: true,
  isOptedOut: true,
  onWhatsapp: true,
})
export type ListFilter = z.output<typeof ListFilter>

/** A list of contacts, to which jobs are sent. */
export const ContactList = z
  .object({
    id: z.number(),
    name: z.string(),
    kind: z.enum(listKinds).meta({
      description:
        '`fixed`: the contacts that somebody has added. `filter`: all that match, whenever somebody looks or sends',
    }),
    filter: z
      .object({
        search: z.string(),
        tagIds: z.array(z.number()),
        fields: z.array(z.object({ key: z.string(), value: Value })),
      })
      .nullable(),
    tags: z.array(Named).meta({ description: 'The tags of the filter, with their names' }),
    size: z.number().nullable().meta({
      description:
        'The number of contacts. Null for a filter: its contacts are counted where they are listed',
    }),
    isForAll: z
      .boolean()
      .meta({ description: 'Whether everybody with the right to use contacts may use it' }),
    users: z.array(Named).meta({
      description: 'The users who may use it besides those who manage contacts. Empty for those who do not',
    }),
    createdByUserName: z.string(),
    createdAt: Instant,
    /** Increases with each edit by a person. Adding and removing contacts is none. */
    version: z.number(),
  })
  .meta({ id: 'ContactList' })
export type ContactList = z.output<typeof ContactList>

const sharing = {
  isForAll: z.boolean().default(false),
  userIds: idList(limits.pageSizeMax).default([]),
}
const name = z
  .string(key('LIST_FORM.NAME_INVALID'))
  .normalize('NFC')
  .trim()
  .min(1, key('LIST_FORM.NAME_INVALID'))
  .max(limits.listName, key('LIST_FORM.NAME_INVALID'))

/** A list with a filter if there is one. Otherwise a fixed list, empty at first. */
export const NewList = z.object({ name, filter: ListFilter.nullable().default(null), ...sharing })
export type NewList = z.output<typeof NewList>

/** Replaces name, sharing and filter. A list never gets another kind: jobs and people rely on it. */
export const ListChange = NewList.extend({ version: ReadVersion })
export type ListChange = z.output<typeof ListChange>

export const ListsQuery = listQuery(['id', 'name', 'createdAt'], {
  sortBy: 'name',
  sortDirection: 'asc',
}).extend({ kind: blankable(z.enum(listKinds).optional()) })
export type ListsQuery = z.output<typeof ListsQuery>

export const lists = {
  list: endpoint({
    method: 'GET',
    path: '/lists',
    access: 'canUseContacts',
    allowsApiKeys: true,
    summary: 'The lists of contacts that you may use',
    query: ListsQuery,
    response: page(ContactList),
  }),
  get: endpoint({
    method: 'GET',
    path: '/lists/:id',
    access: 'canUseContacts',
    allowsApiKeys: true,
    summary: 'One list',
    params: idParams,
    response: ContactList,
  }),
  create: endpoint({
    method: 'POST',
    path: '/lists',
    access: 'canManageContacts',
    summary: 'Create a list: a fixed one, or a filter',
    body: NewList,
    response: ContactList,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/lists/:id',
    access: 'canManageContacts',
    summary: 'Change a list',
    params: idParams,
    body: ListChange,
    response: ContactList,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/lists/:id',
    access: 'canManageContacts',
    summary: 'Delete a list. Its contacts and the jobs that were sent to it stay',
    params: idParams,
  }),
  searchContacts: endpoint({
    method: 'POST',
    path: '/lists/:id/contacts/search',
    access: 'canUseContacts',
    summary: 'Search the contacts of a list',
    params: idParams,
    body: ContactListQuery,
    response: page(Contact),
  }),
  addContacts: endpoint({
    method: 'POST',
    path: '/lists/:id/contacts',
    access: 'canManageContacts',
    allowsApiKeys: true,
    summary: 'Add some contacts, or all that match a filter, to a fixed list',
    params: idParams,
    body: ContactSelection,
    response: Changed,
  }),
  removeContacts: endpoint({
    method: 'POST',
    path: '/lists/:id/contacts/remove',
    access: 'canManageContacts',
    allowsApiKeys: true,
    summary: 'Take some contacts, or all that match a filter, off a fixed list',
    params: idParams,
    body: ContactSelection,
    response: Changed,
  }),
  users: endpoint({
    method: 'GET',
    path: '/list-users',
    access: 'canManageContacts',
    summary: 'The Members with whom a list can be shared',
    response: z.object({ users: z.array(Named) }),
  }),
}
