import type { Message, MessageListQuery, MessageRow, NewMessage } from '@sendroom/contract/messages'
import {
  type Caller,
  canChangeMessage,
  canSeeInstance,
  canSeeMessage,
  isAdmin,
  isSharedTemplate,
} from '../../platform/access.ts'
import { readCounts } from '../../platform/counts.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, json, sql } from '../../platform/database/sql.ts'
import { imageUrl } from '../../platform/images/queries.ts'
import { listPage } from '../../platform/list.ts'
import { type ContentColumns, contentOf } from '../../platform/message-content.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { searchCondition } from '../../platform/search.ts'

const messageRow = sql`
  select m.id, m.text_content, m.has_variables, ${imageUrl('m.image_id')} as image_url,
    ${contentOf('m')} as content, m.instance_id,
    (select i.name from instances i where i.id = m.instance_id) as instance_name,
    ${isSharedTemplate('m')} as is_shared, m.created_by_user_name, m.created_at`

const sortBy = {
  id: sql`m.id`,
  textContent: sql`left(m.text_content, 100)`,
  createdByUserName: sql`m.created_by_user_name`,
  createdAt: sql`m.created_at`,
}

export async function listMessages(db: Db, caller: Caller, query: MessageListQuery) {
  const found = query.search ? await searchCondition(db, 'messages', 'm', query.search) : sql`true`
  return listPage<MessageRow>(db, query, {
    select: messageRow,
    from: sql`from messages m where ${canSeeMessage(caller, 'm')} and ${found}`,
    sortBy: sortBy[query.sortBy],
    id: sql`m.id`,
    countKey: ['messages', isAdmin(caller) || [caller.id, caller.instanceIds], query.search],
    total: query.search ? undefined : async () => (await readCounts(db, caller)).messages,
  })
}

export async function findMessage(db: Db, caller: Caller, id: number): Promise<Message | null> {
  const message = await db.maybeOne<Message>(sql`
    ${messageRow}, (
      select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.name, g.id), '[]')
      from message_groups mg join groups g on g.id = mg.group_id
      where mg.message_id = m.id and ${canSeeInstance(caller, 'g.instance_id')}
    ) as assigned_groups, m.version
    from messages m where m.id = ${id} and ${canSeeMessage(caller, 'm')}`)
  return message ?? null
}

/**
 * Returns how many of these groups the caller sees, and keeps those from being deleted until the transaction ends. Only
 * groups of the message's instance count, if it has one.
 */
export async function lockGroupsForShare(
  tx: Db,
  caller: Caller,
  { instanceId, groupIds }: NewMessage,
): Promise<number> {
  const count = await tx.run(sql`
    select from groups g
    where g.id = any(${groupIds}) and ${canSeeInstance(caller, 'g.instance_id')}
      and ${instanceId === null ? sql`true` : sql`g.instance_id = ${instanceId}`}
    for key share`)
  return count
}

/** The columns of a new message. */
export type MessageColumns = Pick<NewMessage, 'textContent' | 'instanceId' | 'groupIds'> &
  ContentColumns & { imageId: number | null }

export async function insertMessage(tx: Db, caller: Caller, message: MessageColumns): Promise<number> {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into messages (
      text_content, has_variables, image_id, content, file_id, instance_id, created_by_user_id, created_by_user_name,
      created_by_admin
    )
    values (
      ${message.textContent}, ${hasBraces(message)}, ${message.imageId}, ${json(message.content)}, ${message.fileId},
      ${message.instanceId}, ${caller.id}, ${caller.username}, ${isAdmin(caller)}
    )
    returning id`)
  return id
}

const hasBraces = ({ textContent }: Pick<NewMessage, 'textContent'>) => textContent.includes('{{')

/** For whom a file of the message counts: its author, or the caller if that user was deleted (see `adopted`). */
export const findAuthor = (tx: Db, caller: Caller, id: number) =>
  tx.maybeOne<{ id: number; name: string }>(sql`
    select coalesce(u.id, ${caller.id}) as id, coalesce(u.username, ${caller.username}) as name
    from messages m left join users u on u.id = m.created_by_user_id
    where m.id = ${id} and ${canChangeMessage(caller, 'm')}`)

/** Whoever gives a file to the message of a deleted user becomes its author. Otherwise it would count for nobody. */
const adopted = (caller: Caller) => ({
  createdByUserId: sql`coalesce(m.created_by_user_id, ${caller.id})`,
  createdByUserName: sql`case when m.created_by_user_id is null then ${caller.username} else m.created_by_user_name end`,
})

/** The columns that a change replaces. The others stay. */
export type ChangedColumns = Pick<MessageColumns, 'textContent' | 'instanceId'> &
  Partial<ContentColumns & { imageId: number | null }>

/**
 * Returns the version before the update, or null if the caller may change no
 * such message.
 */
export async function updateMessage(
  tx: Db,
  caller: Caller,
  id: number,
  { textContent, instanceId, imageId, fileId, content }: ChangedColumns,
): Promise<number | null> {
  const version = sql`m.version + 1`
  const replaced = omitUndefined({
    imageId,
    fileId,
    content: content === undefined ? content : json(content),
    ...((imageId || fileId) && adopted(caller)),
  })
  // A text that nobody has edited means the same as before.
  const hasVariables = sql`
    case when m.text_content = ${textContent} then m.has_variables else ${hasBraces({ textContent })} end`
  const updated = await tx.maybeOne<{ before: number }>(sql`
    update messages m
    set ${assignments({ textContent, hasVariables, instanceId, version, editedByUserId: caller.id, ...replaced })},
      changed_at = clock_now()
    where m.id = ${id} and ${canChangeMessage(caller, 'm')}
    returning m.version - 1 as before`)
  return updated?.before ?? null
}

export const replaceGroups = (tx: Db, messageId: number, groupIds: number[]) =>
  tx.run(sql`
  with gone as (delete from message_groups where message_id = ${messageId} and group_id <> all(${groupIds}))
  insert into message_groups (message_id, group_id)
  select ${messageId}, group_id from unnest(${groupIds}::bigint[]) group_id
  on conflict do nothing`)

/** Returns how many of these messages the caller sees, and how many of them the caller may change. */
export async function countAccess(db: Db, caller: Caller, ids: number[]) {
  return db.one<{ visible: number; changeable: number }>(sql`
    select count(*) as visible, count(*) filter (where ${canChangeMessage(caller, 'm')}) as changeable
    from messages m where m.id = any(${ids}) and ${canSeeMessage(caller, 'm')}`)
}

/** Returns which of these messages were deleted: those that the caller may change. */
export const deleteMessages = (tx: Db, caller: Caller, ids: number[]) =>
  tx.many<Pick<Message, 'id' | 'textContent' | 'imageUrl' | 'content' | 'instanceName'>>(sql`
    delete from messages m where m.id = any(${ids}) and ${canChangeMessage(caller, 'm')}
    returning m.id, m.text_content, ${imageUrl('m.image_id')} as image_url, ${contentOf('m')} as content,
      (select i.name from instances i where i.id = m.instance_id) as instance_name`)
