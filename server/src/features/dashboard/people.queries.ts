import { createHash } from 'node:crypto'
import { type Caller, canSeeInstance, isAdmin } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'

/** A number of distinct people that was counted before. */
export type PeopleCount = {
  people: number
  /** The rows that were read for it. */
  participants: number
  /** The counter 'people' at that time. */
  version: number
  ageMs: number
}

/**
 * Names what the caller sees. Callers who see the same share one count. A hash, because an index can't hold long lists.
 */
export const visibleKey = (caller: Caller): string =>
  isAdmin(caller) ? 'all' : hashOf(caller.instanceIds.toSorted((a, b) => a - b).join(','))

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

export async function findPeopleCount(db: Db, key: string): Promise<PeopleCount | null> {
  const found = await db.maybeOne<PeopleCount>(sql`
    select people, participants, version, (extract(epoch from clock_now() - counted_at) * 1000)::bigint as age_ms
    from people_counts where instances = ${key}`)
  return found ?? null
}

/** Counts the distinct people in the groups that the caller sees. Groups that the instance has left do not count. */
export const countPeople = (db: Pool, caller: Caller, key: string, version: number): Promise<number> =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    const { people } = await tx.one<{ people: number }>(sql`
      insert into people_counts (instances, version, people, participants, counted_at)
      select ${key}, ${version}, count(*), coalesce(sum(person.rows), 0), clock_now()
      from (
        select count(*) as rows from participants p join groups g on g.id = p.group_id
        where g.left_at is null and ${canSeeInstance(caller, 'g.instance_id')}
        group by p.person_id
      ) as person
      on conflict (instances) do update set version = excluded.version, people = excluded.people,
        participants = excluded.participants, counted_at = excluded.counted_at
      returning people`)
    return people
  })

/** Recurring work: forgets the counts that were not needed lately. Whoever needs one again waits for it once. */
export const deleteOldPeopleCounts = (db: Pool) =>
  db.run(sql`delete from people_counts where counted_at < clock_now() - interval '30 days'`)
