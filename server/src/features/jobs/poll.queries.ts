import type { PollTotals, PollVoter, PollVotersQuery } from '@sendroom/contract/job-poll'
import type { Page } from '@sendroom/contract/paging'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { isOfJob, isResultOf } from './job-rows.queries.ts'

// Queries for the results of polls. engine/polls/store.ts writes them.

/** More names than a poll has options come only from a provider that changes them. */
const MAX_NAMES = 50

type Votes = Omit<PollTotals, 'options'> & { votes: PollTotals['options'] }

/** Adds up the votes of all recipients, by the names that the provider has for the options. */
export const readVotes = (db: Db, jobId: number) =>
  db.one<Votes>(sql`
    with results as materialized (
      select r.counts, r.people, r.updated_at from deliveries d join poll_results r on ${isResultOf}
      where ${isOfJob('d', jobId)}
    ), named as (
      select c.key as name, sum(c.value::bigint) as votes from results, jsonb_each_text(counts) c
      group by c.key order by 2 desc, 1 limit ${MAX_NAMES}
    )
    select coalesce((select jsonb_agg(named) from named), '[]') as votes,
      (select count(*) from results) as messages, (select max(updated_at) from results) as updated_at,
      (select case when count(people) = count(*) then coalesce(sum(people), 0) end from results) as people`)

/** The options of the poll come first; a name that is none of them comes after. */
export function totalsOf({ votes, ...rest }: Votes, options: string[]): PollTotals {
  const known = new Map(votes.map(({ name, votes }) => [name, votes]))
  const ordered = options.map((name) => ({ name, votes: known.get(name) ?? 0 }))
  return { ...rest, options: [...ordered, ...votes.filter(({ name }) => !options.includes(name))] }
}

/** Lists who has voted in the poll of a recipient, by name, and then those without a name. */
export const listVoters = (
  db: Db,
  recipientId: number,
  { option, ...query }: PollVotersQuery,
): Promise<Page<PollVoter>> =>
  listPage<PollVoter>(
    db,
    { ...query, sortDirection: 'asc' },
    {
      select: sql`select v.person_id, p.name, v.options`,
      from: sql`
        from deliveries d join poll_results r on ${isResultOf}
          cross join lateral (
            select person.id as person_id, array_agg(o.key order by o.key) as options
            from jsonb_each(r.voters) o, jsonb_array_elements_text(o.value) person (id)
            group by person.id
          ) v
          left join participants p on p.group_id = d.group_id and p.person_id = v.person_id
        where d.id = ${recipientId} ${option ? sql`and ${option} = any(v.options)` : sql``}`,
      sortBy: sql`p.name`,
      id: sql`v.person_id`,
      countKey: ['voters', recipientId, option],
    },
  )
