import type { Message, MessageListQuery, MessageRow, NewMessage } from '@sendroom/contract/messages'
import { type Caller, seesInstance, seesMessage } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { assignments, sql } from '../../platform/database/sql.ts'
import { imageUrl } from '../../platform/images.ts'
import { listPage } from '../../platform/list.ts'

const messageRow = sql`
  select m.id, m.text_content, ${imageUrl('m.image_id')} as image_url, m.instance_id,
    (select i.name from instances i where i.id = m.instance_id) as instance_name,
    m.created_by_user_name, m.created_at`

const sortBy = {
  id: sql`m.id`,
  textContent: sql`left(m.text_content, 100)`,
  createdByUserName: sql`m.created_by_user_name`,
  createdAt: sql`m.created_at`,
}

export const listMessages = (db: Db, caller: Caller, query: MessageListQuery) =>
  listPage<MessageRow>(db, query, {
    select: messageRow,
    from: sql`
      from messages m where ${seesMessage(caller, 'm')}
        ${query.search ? sql`and m.found_by like containing(${query.search})` : sql``}`,
    sortBy: sortBy[query.sortBy],
    id: sql`m.id`,
    countKey: ['messages', caller.role === 'Admin' || caller.id, query.search],
  })

export async function findMessage(db: Db, caller: Caller, id: number): Promise<Message | null> {
  const message = await db.maybeOne<Message>(sql`
    ${messageRow}, (
      select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.name, g.id), '[]')
      from message_groups mg join groups g on g.id = mg.group_id
      where mg.message_id = m.id and ${seesInstance(caller, 'g.instance_id')}
    ) as assigned_groups
    from messages m where m.id = ${id} and ${seesMessage(caller, 'm')}`)
  return message ?? null
}

/** Whether the caller sees this instance; it then stays until the transaction ends. */
export async function holdInstance(tx: Db, caller: Caller, id: number): Promise<boolean> {
  const count = await tx.run(sql`
    select from instances i where i.id = ${id} and ${seesInstance(caller, 'i.id')} for key share`)
  return count === 1
}

/** How many of these groups the caller sees, of this instance if there is one; they stay until the transaction ends. */
export async function holdGroups(
  tx: Db,
  caller: Caller,
  { instanceId, groupIds }: NewMessage,
): Promise<number> {
  const count = await tx.run(sql`
    select from groups g
    where g.id = any(${groupIds}) and ${seesInstance(caller, 'g.instance_id')}
      and ${instanceId === null ? sql`true` : sql`g.instance_id = ${instanceId}`}
    for key share`)
  return count
}

export async function insertMessage(
  tx: Db,
  caller: Caller,
  message: NewMessage & { imageId: number | null },
): Promise<number> {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into messages (text_content, image_id, instance_id, created_by_user_id, created_by_user_name)
    values (${message.textContent}, ${message.imageId}, ${message.instanceId}, ${caller.id}, ${caller.username})
    returning id`)
  return id
}

/** An imageId of undefined keeps the image. False if there is no such message, or none the caller sees. */
export async function updateMessage(
  tx: Db,
  caller: Caller,
  id: number,
  message: NewMessage & { imageId: number | null | undefined },
): Promise<boolean> {
  const { textContent, instanceId, imageId } = message
  const count = await tx.run(sql`
    update messages m
    set ${assignments({ textContent, instanceId, ...(imageId !== undefined && { imageId }) })}
    where m.id = ${id} and ${seesMessage(caller, 'm')}`)
  return count === 1
}

export const replaceGroups = (tx: Db, messageId: number, groupIds: number[]) =>
  tx.run(sql`
  with gone as (delete from message_groups where message_id = ${messageId} and group_id <> all(${groupIds}))
  insert into message_groups (message_id, group_id)
  select ${messageId}, group_id from unnest(${groupIds}::bigint[]) group_id
  on conflict do nothing`)

/** How many of these there were for the caller to delete. */
export async function deleteMessages(tx: Db, caller: Caller, ids: number[]): Promise<number> {
  const count = await tx.run(sql`
    delete from messages m where m.id = any(${ids}) and ${seesMessage(caller, 'm')}`)
  return count
}
