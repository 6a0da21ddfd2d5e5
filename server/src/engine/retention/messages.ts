import { type Sql, sql } from '../../platform/database/sql.ts'
import { refuseIfInSeries } from '../../platform/series.ts'
import { isUsing, type Kind, lockUnused, none } from './unused.ts'

/**
 * Messages that nobody has changed, and no job or series used. They go as if somebody had deleted them: jobs have their
 * own copies, and the sweep finds the files.
 */
export const messages: Kind = {
  name: 'message',
  table: 'messages',
  async deleteUnused(tx, ids, since, limit) {
    const unused = await lockUnused(tx, 'messages', ids, isUnused(since))
    if (unused.length === 0) return { count: 0, isComplete: true }
    // Series that have ended let them go.
    await refuseIfInSeries(tx, 'messages', unused)
    // The foreign key would change all jobs of a message at once.
    await tx.run(sql`
      update jobs set message_id = null where id = any(array(
        select id from jobs where message_id = any(${unused}) limit ${limit} for no key update skip locked))`)
    const count = await tx.run(sql`
      delete from messages m
      where m.id = any(${unused}) and not exists (select from jobs j where j.message_id = m.id)`)
    return { count, isComplete: count === unused.length }
  },
}

const isUnused = (since: Sql) => sql`(
  greatest(x.changed_at, x.used_at) < ${since}
  and ${none(sql`from jobs j where j.message_id = x.id and ${isUsing(since)}`)}
  and ${none(sql`
    from series_messages u join series s on s.id = u.series_id where u.message_id = x.id and s.state <> 'ended'`)}
  and ${none(sql`
    from series_runs r join series s on s.id = r.series_id where r.message_id = x.id and s.state <> 'ended'`)})`
