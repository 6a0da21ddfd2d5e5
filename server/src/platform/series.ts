import type { Db } from './database/connection.ts'
import { identifier, json, type Sql, sql } from './database/sql.ts'
import { Refusal } from './refusal.ts'

/*
 * Series, for what they use and for a restore.
 */

const uses = {
  messages: { tables: ['series_messages', 'series_runs'], column: 'message_id' },
  lists: { tables: ['series_lists'], column: 'list_id' },
  group_sets: { tables: ['series_group_sets'], column: 'group_set_id' },
} as const

/**
 * Throws if a series uses one of these rows, which are about to be deleted: each of its runs would fail. Series that
 * have ended let them go. The locks keep others from being saved with these rows meanwhile.
 *
 * @param ids a list of ids, or a query for them
 * @param except the account whose own series are deleted, too
 */
export async function refuseIfInSeries(
  tx: Db,
  kind: keyof typeof uses,
  ids: readonly number[] | Sql,
  except: number | null = null,
): Promise<void> {
  const { tables, column } = uses[kind]
  const isMeant = (of: string) =>
    Array.isArray(ids) ? sql`${identifier(of)} = any(${ids}::bigint[])` : sql`${identifier(of)} in (${ids})`
  await tx.run(sql`select from ${identifier(kind)} x where ${isMeant('x.id')} order by x.id for update`)
  for (const table of tables) {
    const series = await tx.maybeOne<{ name: string }>(sql`
      select s.name from ${identifier(table)} u join series s on s.id = u.series_id
      where ${isMeant(`u.${column}`)} and s.state <> 'ended' and s.instance_id is distinct from ${except}
      order by s.id limit 1`)
    if (series) throw new Refusal('used_by_series', { series: series.name })
    await tx.run(sql`
      delete from ${identifier(table)} u using series s
      where s.id = u.series_id and ${isMeant(`u.${column}`)}`)
  }
}

/** Deletes the runs that are over, as long after their time as the logs of jobs are kept. */
export const deleteOldRuns = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    delete from series_runs where id in (
      select r.id from series_runs r
      where r.state not in ('planned', 'waiting') and (r.state <> 'made' or r.outcome is not null)
        and r.due_at < clock_now() - (select log_days from retention) * interval '1 day'
      order by r.due_at limit ${limit} for update skip locked)`)

/**
 * Pauses every series, in the caller's transaction, because the database has just been restored: the former
 * installation may have sent what this one takes for its next runs.
 *
 * @returns how many series were paused
 */
export const pauseRestoredSeries = (tx: Db): Promise<number> =>
  tx.run(sql`
    update series set state = 'paused', paused_reason = ${json({ code: 'series_paused_by_restore', params: {} })}
    where state = 'active'`)
