import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { PollResults } from '../../providers/provider.ts'
import type { JobRef } from '../status/progress.ts'

/*
 * The results of a poll are the whole present state of one message, so the last one that comes replaces the others. It
 * may come before the delivery knows the id of its message. Then `delivery_id` stays null until the next results, or
 * until `deleteForeignResults` finds the delivery.
 */

export type InstanceResults = PollResults & { instanceId: number }

/** A provider may count wrongly. Sums stay far below what a bigint holds. */
const MAX_VOTES = 1_000_000

/** PostgreSQL rejects NUL and half an emoji. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

const columnsOf = ({ instanceId, providerMessageId, options }: InstanceResults) => ({
  instanceId,
  id: storable(providerMessageId),
  counts: JSON.stringify(
    Object.fromEntries(options.map(({ name, count }) => [name, Math.min(count, MAX_VOTES)])),
  ),
  voters: JSON.stringify(Object.fromEntries(options.map(({ name, voters }) => [name, voters.map(storable)]))),
  people: peopleOf(options),
})

/** How many people have voted. Null if the provider does not name each of them. */
const peopleOf = (options: PollResults['options']) =>
  options.every(({ count, voters }) => count === voters.length)
    ? new Set(options.flatMap(({ voters }) => voters)).size
    : null

/**
 * Stores the results, one row for each message: of several results of the same one, the last. Returns the jobs that are
 * concerned. With `askedAt`, the provider was asked then: results that have come since are newer.
 *
 * A delivery that is being deleted is skipped. Its results go after a day. A recipient who was forgotten has no voters:
 * they would say who it was.
 */
export function storeResults(
  db: Db,
  results: readonly InstanceResults[],
  askedAt: string | null = null,
): Promise<JobRef[]> {
  const rows = [
    ...new Map(results.map(columnsOf).map((row) => [`${row.instanceId} ${row.id}`, row])).values(),
  ]
  return db.many<JobRef>(sql`
    with told as materialized (
      select * from unnest(${rows.map(({ instanceId }) => instanceId)}::bigint[], ${rows.map(({ id }) => id)}::text[],
        ${rows.map(({ counts }) => counts)}::text[], ${rows.map(({ voters }) => voters)}::text[],
        ${rows.map(({ people }) => people)}::int[])
        t (instance_id, provider_message_id, counts, voters, people)
    ), ours as materialized (
      select m.instance_id, m.provider_message_id, d.id, d.job_id, d.chat_id like 'forgotten-%' as is_forgotten
      from told join matched_messages m using (instance_id, provider_message_id) join deliveries d on d.id = m.delivery_id
      where m.released_at is null
      for key share of d skip locked
    ), stored as (
      insert into poll_results as r (instance_id, provider_message_id, delivery_id, counts, voters, people, updated_at)
      select t.instance_id, t.provider_message_id, o.id, t.counts::jsonb,
        case when o.is_forgotten then '{}' else t.voters::jsonb end, t.people, clock_now()
      from told t left join ours o using (instance_id, provider_message_id)
      -- In the order of the keys, as another server may store results of the same polls.
      order by 1, 2
      on conflict (instance_id, provider_message_id) do update
      set delivery_id = coalesce(excluded.delivery_id, r.delivery_id), counts = excluded.counts,
        voters = excluded.voters, people = excluded.people, updated_at = excluded.updated_at
      where coalesce(r.updated_at <= ${askedAt}::timestamptz, true)
    )
    select distinct job_id, instance_id from ours`)
}

/** Results of messages that are still nobody's after a day belong to another program, or to the phone. */
export const deleteForeignResults = (tx: Db, limit: number): Promise<number> =>
  tx.run(sql`
    with old as materialized (
      select instance_id, provider_message_id from poll_results
      where delivery_id is null and updated_at < clock_now() - interval '1 day'
      order by updated_at limit ${limit} for update skip locked
    ), ours as materialized (
      select m.instance_id, m.provider_message_id, d.id
      from old join matched_messages m using (instance_id, provider_message_id) join deliveries d on d.id = m.delivery_id
      where m.released_at is null
      for key share of d skip locked
    ), matched as (
      update poll_results r set delivery_id = o.id from ours o
      where (r.instance_id, r.provider_message_id) = (o.instance_id, o.provider_message_id)
    )
    delete from poll_results r using old
    where (r.instance_id, r.provider_message_id) = (old.instance_id, old.provider_message_id)
      and not exists (
        select from matched_messages m
        where (m.instance_id, m.provider_message_id) = (old.instance_id, old.provider_message_id)
          and m.released_at is null)`)
