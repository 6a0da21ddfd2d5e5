/**
 * A program for `lists.ts` and `receipts.ts`: the simplest possible list, with one page and one count, but no session and
 * no checks; and a route that only parses a body and answers.
 */

import fastify from 'fastify'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'

const db = connect(JSON.parse(process.argv[2] ?? ''), { max: 20, applicationName: 'sendroom bench' })
const app = fastify()
app.get('/', async () => {
  const [data, [count]] = await Promise.all([
    db.many(sql`select id, text_content, created_at from messages order by id desc limit 10`),
    db.many(sql`select count(*) as total from (select 1 from messages limit 10001) first`),
  ])
  return { data, total: count?.total }
})
app.post('/', async ({ body }) => ({ success: typeof body === 'object' }))
console.log(`Listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}`)
