/**
 * A program for `lists.ts` and `receipts.ts`: a route for each list with nothing but the query of its first page, with
 * or without a search, so no session, no checks and no count; and a route that only parses a body and answers.
 */

import { ContactSearch } from '@sendroom/contract/contacts'
import fastify from 'fastify'
import { contactRow } from '../../server/src/platform/contacts/contact-row.ts'
import { matches } from '../../server/src/platform/contacts/filter.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { type Sql, sql } from '../../server/src/platform/database/sql.ts'
import { searchCondition } from '../../server/src/platform/search.ts'

const db = connect(JSON.parse(process.argv[2] ?? ''), { max: 20, applicationName: 'sendroom bench' })
const app = fastify()

const nameOf = (instanceId: Sql) =>
  sql`(select i.name from instances i where i.id = ${instanceId}) as instance_name`
/** A parameter, as in Sendroom. PostgreSQL plans a search with a constant badly: it walks the whole list. */
const PAGE_SIZE = 10
/** The query of each list's first page, of the rows that meet a condition. */
const pages = {
  messages: (condition: Sql) => sql`
    select id, text_content, image_id, instance_id, ${nameOf(sql`t.instance_id`)}, created_by_user_name, created_at
    from messages t where ${condition} order by id desc limit ${PAGE_SIZE}`,
  jobs: (condition: Sql) => sql`
    select id, job_type, message_id, left(text_content, 100) as message_title, instance_id,
      ${nameOf(sql`t.instance_id`)}, status, paused_at, failed_count, created_by_user_name, scheduled_at, created_at,
      started_at, completed_at
    from jobs t where ${condition} order by id desc limit ${PAGE_SIZE}`,
  groups: (condition: Sql) => sql`
    select id, name, participant_count, last_sync_at, left_at, can_send, instance_id, ${nameOf(sql`t.instance_id`)}
    from groups t where ${condition} order by name, id limit ${PAGE_SIZE}`,
}
type Query = { instances?: string; search?: string }
for (const name of ['messages', 'jobs', 'groups'] as const)
  app.get<{ Querystring: Query }>(`/${name}`, async ({ query: { instances, search } }) => {
    const isOf = instances ? sql`instance_id = any(${instances.split(',').map(Number)})` : sql`true`
    const found = search ? await searchCondition(db, name, 't', search) : sql`true`
    return { data: await db.many(pages[name](sql`${isOf} and ${found}`)) }
  })
app.post<{ Body: ContactSearch }>('/contacts', async ({ body }) => {
  const query = ContactSearch.parse(body)
  const order = query.sortBy === 'createdAt' ? sql`c.created_at desc, c.id desc` : sql`c.name, c.id`
  return {
    data: await db.many(sql`
      ${contactRow} from contacts c where ${await matches(db, query)} order by ${order} limit ${PAGE_SIZE}`),
  }
})
app.post('/', async ({ body }) => ({ success: typeof body === 'object' }))
console.log(`Listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}`)
