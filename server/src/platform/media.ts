import { identifier, type Sql, sql } from './database/sql.ts'

/** A table of stored files, and the column by which messages and jobs refer to them. */
export type Media = { table: 'images' | 'files'; column: 'image_id' | 'file_id' }

export const IMAGES: Media = { table: 'images', column: 'image_id' }
export const FILES: Media = { table: 'files', column: 'file_id' }

/** SQL condition: a message has the image or file with this id. */
const isInMessage = ({ column }: Media, id: Sql) =>
  sql`exists (select from messages m where m.${identifier(column)} = ${id})`

/** SQL condition: a message or a job has the image or file with this id. */
export const isUsed = (media: Media, id: Sql) => sql`(
  ${isInMessage(media, id)} or exists (select from jobs j where j.${identifier(media.column)} = ${id})
)`

/**
 * SQL expression: the ids of the images or files that count for the user's quota, so that everybody can free what
 * counts for them. Those of the user's messages do. A job's copy counts only when no message has it any more: sending a
 * colleague's message costs nothing. Nothing but the upload refers to a file that waits for its message.
 */
export const countedFor = (userId: number, media: Media) => {
  const column = identifier(media.column)
  return sql`
    select m.${column} from messages m where m.created_by_user_id = ${userId} and m.${column} is not null
    union
    select j.${column} from jobs j where j.created_by_user_id = ${userId} and j.${column} is not null
      and not ${isInMessage(media, sql`j.${column}`)}
    union
    select f.id from ${identifier(media.table)} f where f.user_id = ${userId} and not ${isUsed(media, sql`f.id`)}`
}
