import type { Changed, ContactListQuery, ContactSelection } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import type { ContactList, ListChange, ListFilter, NewList } from '@sendroom/contract/lists'
import type { z } from 'zod'
import type { Begin, Caller } from '../../platform/access.ts'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import { contactPage } from '../../platform/contacts/contact-row.ts'
import { matches, rowsToCount, selectedBy, spellFields } from '../../platform/contacts/filter.ts'
import { lockFieldsForShare } from '../../platform/contacts/stored-fields.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { isUniqueViolation } from '../../platform/database/errors.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { refuseIfInSeries } from '../../platform/series.ts'
import {
  addToList,
  deleteList,
  findList,
  insertList,
  lockListForShare,
  lockTagsForShare,
  replaceListUsers,
  takeOffList,
  updateList,
} from './lists.queries.ts'

export const createList = (begin: Begin, form: NewList): Promise<ContactList> =>
  begin(async (tx, caller) => {
    await requireFilter(tx, form.filter)
    const id = await insertList(tx, caller, form).catch(refuseTakenName)
    if (id === null) throw new Refusal('too_many_lists')
    await replaceListUsers(tx, id, form.userIds)
    const list = orNotFound(await findList(tx, caller, id))
    await record(tx, caller, entryOf('list.create', list, settingsOf(list)))
    return list
  })

export const changeList = (
  begin: Begin,
  id: number,
  { version, ...form }: ListChange,
): Promise<ContactList> =>
  begin(async (tx, caller) => {
    const before = orNotFound(await findList(tx, caller, id))
    if ((before.kind === 'filter') !== (form.filter !== null))
      throw new InvalidInput({ filter: 'FIELD.INVALID' })
    await requireFilter(tx, form.filter)
    const written = await updateList(tx, id, form).catch(refuseTakenName)
    requireVersion(version, orNotFound(written))
    await replaceListUsers(tx, id, form.userIds)
    const after = orNotFound(await findList(tx, caller, id))
    await record(tx, caller, entryOf('list.update', after, differing(before, after)))
    return after
  })

export const removeList = (begin: Begin, id: number): Promise<void> =>
  begin(async (tx, caller) => {
    await forBulkWrites(tx)
    await refuseIfInSeries(tx, 'lists', [id])
    const list = orNotFound(await deleteList(tx, id))
    await record(tx, caller, entryOf('list.delete', list))
  })

/** The tags and fields of a stored filter exist for as long as the list: without one it would find other contacts. */
async function requireFilter(tx: Db, filter: ListFilter | null): Promise<void> {
  if (!filter) return
  spellFields(await lockFieldsForShare(tx), filter.fields, 'filter.fields')
  const tagIds = [...new Set(filter.tagIds)]
  if ((await lockTagsForShare(tx, tagIds)) < tagIds.length)
    throw new InvalidInput({ 'filter.tagIds': 'FIELD.INVALID' })
}

export async function searchListContacts(
  db: Db,
  caller: Caller,
  id: number,
  query: z.output<typeof ContactListQuery>,
) {
  const { size } = orNotFound(await findList(db, caller, id))
  const filter = { search: query.search, tagIds: [], fields: [], listId: id }
  return contactPage(db, query, {
    condition: await matches(db, filter),
    countFrom: () => rowsToCount(db, filter),
    countKey: ['contacts of a list', id, query.search],
    total: size === null || query.search ? undefined : async () => size,
  })
}

type Change = (tx: Tx, listId: number, selected: Sql) => Promise<number>

const changeContacts =
  (action: Entry['action'], change: Change) =>
  (begin: Begin, id: number, selection: ContactSelection): Promise<Changed> =>
    begin(async (tx, caller) => {
      await forBulkWrites(tx)
      const list = orNotFound(await lockListForShare(tx, caller, id))
      if (list.kind === 'filter') throw new Refusal('list_has_filter')
      const count = await change(tx, id, await selectedBy(tx, selection))
      await record(tx, caller, entryOf(action, list, { count }))
      return { count, hasMore: count === limits.contactsAtOnce }
    })

export const addContacts = changeContacts('list.add', addToList)
export const takeOffContacts = changeContacts('list.remove', takeOffList)

const settingsOf = ({ kind, isForAll, users }: ContactList) => ({
  kind,
  isForAll,
  users: users.map((user) => user.name),
})

/** A filter may have a name or a number in it, and the audit log can't be changed. So it tells only that it changed. */
const differing = (before: ContactList, after: ContactList) => ({
  changes: changesOf(
    { name: before.name, ...settingsOf(before) },
    { name: after.name, ...settingsOf(after) },
    ['name', 'isForAll', 'users'],
  ),
  ...(JSON.stringify(before.filter) !== JSON.stringify(after.filter) && { fields: ['filter'] }),
})

const entryOf = (
  action: Entry['action'],
  { id, name }: Pick<ContactList, 'id' | 'name'>,
  details: object = {},
): Entry => ({ action, object: { type: 'list', id, name }, details: { ...details } })

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'lists_name') ? new Refusal('list_taken') : error
}
