import type { Import, Reading } from '@sendroom/contract/imports'
import { record } from '../../platform/audit.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { isAuthorAllowed } from './imports.queries.ts'

/** An import that this process works on. */
export type Claim = {
  id: number
  lease: string
  source: Import['source']
  status: 'checking' | 'running' | 'undoing'
  reading: Reading | null
  instanceId: number | null
  groupIds: number[]
  cursor: number
  rows: number | null
  known: 'keep' | 'fill' | 'overwrite'
  listId: number | null
  tags: string[]
  /** Where the contacts come from, for people. */
  sourceName: string
  userId: number | null
  userName: string
  tries: number
  /** Whether the user still has the right, and the account. */
  isAllowed: boolean
  isTest: boolean
  tokenCipher: Buffer | null
  ownNumber: string
}

/** Somebody has changed the import or taken it over. */
export class ImportLost extends Error {}

const HOLD = sql`clock_now() + interval '30 seconds'`

/**
 * Takes the import whose turn it is, for half a minute. One whose worker was killed is taken again afterwards. A worker
 * without the simulator leaves test accounts to others.
 */
export async function claimImport(db: Db, hasTest: boolean): Promise<Claim | null> {
  const claim = await db.maybeOne<Claim>(sql`
    with next as (
      select id from imports i
      where status in ('checking', 'running', 'undoing') and due_at <= clock_now()
        and (held_until is null or held_until < clock_now())
        and (${hasTest} or i.status <> 'checking' or i.source <> 'addressBook'
          or not exists (select from instances a where a.id = i.instance_id and a.is_test))
      order by due_at, id limit 1 for update skip locked
    ), claimed as (
      update imports i set held_until = ${HOLD}, lease = gen_random_uuid(), tries = tries + 1 from next where i.id = next.id
      returning i.*
    )
    select c.id, c.lease, c.source, c.status, c.reading, c.instance_id, c.group_ids, c.cursor, c.rows, c.known, c.list_id,
      c.tags, c.user_id, c.user_name, c.tries, a.token_cipher, coalesce(a.is_test, false) as is_test,
      case c.source when 'file' then c.file_name else coalesce(a.name, '') end as source_name,
      regexp_replace(coalesce(a.whats_app_number, ''), '[^0-9]', '', 'g') as own_number,
      ${isAuthorAllowed('c')} as is_allowed
    from claimed c left join instances a on a.id = c.instance_id`)
  return claim ?? null
}

/** Runs a step in a transaction, and saves how far it came. Throws ImportLost if somebody else has the import. */
export async function step(
  db: Pool,
  { id, lease }: Claim,
  work: (tx: Tx) => Promise<{ cursor: number }>,
): Promise<number> {
  return db.begin(async (tx) => {
    await forBulkWrites(tx)
    await requireLease(tx, id, lease)
    const { cursor } = await work(tx)
    await tx.run(sql`update imports set cursor = ${cursor}, held_until = ${HOLD}, tries = 0 where id = ${id}`)
    return cursor
  })
}

/** Other transactions that change the import wait until this one ends. */
async function requireLease(tx: Tx, id: number, lease: string) {
  const isOurs = await tx.run(sql`select from imports where id = ${id} and lease = ${lease} for update`)
  if (isOurs === 0) throw new ImportLost()
}

/** Lets others have their turn, after so many seconds for this one. */
export const release = (db: Db, { id, lease }: Claim, seconds = 0) =>
  db.run(sql`
    update imports set held_until = null, lease = null, due_at = clock_now() + ${seconds} * interval '1 second'
    where id = ${id} and lease = ${lease}`)

/** Ends the check: marks who is in the file twice, and counts. */
export const endCheck = (db: Pool, { id, lease }: Claim) =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    await requireLease(tx, id, lease)
    // The statistics may be older than these rows. PostgreSQL would expect one, and sort all of them for each of them.
    await tx.run(sql`select set_config('enable_nestloop', 'off', true)`)
    await tx.run(sql`
      update import_rows r
      set outcome = 'twice', problem = jsonb_build_object('code', 'twice', 'params', jsonb_build_object('row', again.first))
      from (
        select place, first_value(number) over same as first, row_number() over same as n
        from import_rows where import_id = ${id} and outcome is null
        window same as (partition by kind, value order by place)
      ) again
      where r.import_id = ${id} and r.place = again.place and again.n > 1`)
    await tx.run(sql`select set_config('enable_nestloop', 'on', true)`)
    await tx.run(sql`
      update imports i
      set status = 'checked', lease = null, held_until = null, rows = c.rows, twice = c.twice, refused = c.refused,
        unchanged = c.known, added = c.rows - c.twice - c.refused - c.known
      from (
        select count(*) as rows, count(*) filter (where outcome = 'twice') as twice,
          count(*) filter (where outcome = 'refused') as refused, count(known.value) as known
        from import_rows r left join contact_identities known
          on known.kind = r.kind and known.value = r.value and r.outcome is null
        where r.import_id = ${id}
      ) c
      where i.id = ${id}`)
  })

/** Ends the check because the rows can't be read. */
export async function failCheck(db: Db, { id, lease }: Claim, fault: { code: string; params: object }) {
  await db.run(sql`
    update imports set status = 'checked', fault = ${json(fault)}, lease = null, held_until = null
    where id = ${id} and lease = ${lease}`)
}

/** Ends what runs: counts what became of the rows, and tells the audit log. */
export const endRun = (db: Pool, { id, lease, status, userId, userName }: Claim) =>
  db.begin(async (tx) => {
    await forBulkWrites(tx)
    await requireLease(tx, id, lease)
    const isUndo = status === 'undoing'
    const counts = await tx.one<Record<string, number>>(isUndo ? countUndone(id) : countImported(id))
    await tx.run(sql`
      update imports set ${isUndo ? sql`status = 'undone', undone_at = clock_now()` : sql`status = 'done', ended_at = clock_now()`},
        lease = null, held_until = null, version = version + 1
      where id = ${id}`)
    await record(
      tx,
      { id: userId, username: userName, address: '' },
      {
        action: isUndo ? 'import.undone' : 'import.end',
        object: { type: 'import', id, name: '' },
        details: counts,
      },
    )
  })

const countImported = (id: number) => sql`
  update imports i set added = c.added, changed = c.changed, unchanged = c.unchanged, twice = c.twice, refused = c.refused
  from (
    select count(*) filter (where outcome = 'added') as added, count(*) filter (where outcome = 'changed') as changed,
      count(*) filter (where outcome = 'unchanged') as unchanged, count(*) filter (where outcome = 'twice') as twice,
      count(*) filter (where outcome = 'refused') as refused
    from import_rows where import_id = ${id}
  ) c
  where i.id = ${id}
  returning i.rows, i.added, i.changed, i.unchanged, i.twice, i.refused`

const countUndone = (id: number) => sql`
  update imports i set removed = c.removed, kept = c.kept, gone = c.gone
  from (
    select count(*) filter (where undone = 'removed') as removed, count(*) filter (where undone = 'kept') as kept,
      count(*) filter (where undone = 'gone') as gone
    from import_rows where import_id = ${id} and outcome <> 'unchanged'
  ) c
  where i.id = ${id}
  returning i.removed, i.kept, i.gone`

/** A row as the check stores it. */
export type StagedRow = {
  place: number
  number: number
  kind?: string
  value?: string
  name?: string
  note?: string
  tags?: string[]
  field_values?: object
  cells: string[]
  outcome?: 'refused'
  problem?: object
}

export const insertRows = (tx: Db, id: number, rows: readonly StagedRow[]) =>
  tx.run(sql`
    insert into import_rows (import_id, place, number, kind, value, name, note, tags, field_values, cells, outcome, problem)
    select ${id}, place, number, kind, value, name, note, tags, field_values, cells, outcome, problem
    from jsonb_to_recordset(${json(rows)}) as r (place int, number int, kind text, value text, name text,
      note text, tags text[], field_values jsonb, cells text[], outcome text, problem jsonb)`)

/** How many rows the check has stored. Their places count from 1 without a gap. */
export async function countRows(tx: Tx, id: number): Promise<number> {
  const { count } = await tx.one<{ count: number }>(
    sql`select coalesce(max(place), 0) as count from import_rows where import_id = ${id}`,
  )
  return count
}

/** The next people of the groups, each once. */
export const membersAfter = (
  db: Db,
  { instanceId, groupIds, ownNumber }: Claim,
  after: string,
  limit: number,
) =>
  db.many<{ personId: string; name: string | null }>(sql`
    select p.person_id, max(p.name) as name
    from participants p join groups g on g.id = p.group_id
    where g.id = any(${groupIds}::bigint[]) and g.instance_id = ${instanceId}
      and p.person_id > ${after} and p.person_id <> ${ownNumber} and p.person_id ~ '^[0-9]{5,20}(@lid)?$'
    group by p.person_id order by p.person_id limit ${limit}`)

/** The last person that the check has stored. */
export async function lastPerson(db: Db, id: number): Promise<string> {
  const last = await db.maybeOne<{ personId: string }>(sql`
    select case kind when 'lid' then value || '@lid' else value end as person_id
    from import_rows where import_id = ${id} order by place desc limit 1`)
  return last?.personId ?? ''
}
