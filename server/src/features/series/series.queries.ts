import type { Series, SeriesChange, SeriesPeople, SeriesQuery, SeriesRow } from '@sendroom/contract/series'
import type { SeriesState } from '@sendroom/contract/series-states'
import type { Reason } from '@sendroom/contract/values'
import { type Caller, canSeeInstance, canSeeMessage, canUseList, isAdmin } from '../../platform/access.ts'
import {
  areChangesAsked,
  canApproveFor,
  isApprovedSeries,
  isNoAuthorOfSeries,
  isWhollyApproved,
  unapprovedRuns,
} from '../../platform/approvers.ts'
import { canSeeContact } from '../../platform/contacts/lists.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { asInstant, assignments, json, type Sql, sql, values } from '../../platform/database/sql.ts'
import { imageUrl } from '../../platform/images/queries.ts'
import { listPage } from '../../platform/list.ts'
import { contentOf } from '../../platform/message-content.ts'

export const isToCome = sql`r.state in ('planned', 'waiting')`

/** The message `m` as JSON. */
const messageObject = sql`
  jsonb_build_object('id', m.id, 'textContent', m.text_content, 'imageUrl', ${imageUrl('m.image_id')},
    'content', ${contentOf('m')})`

/** The message that the run `r` has of its own. */
export const messageOfRun = sql`(select ${messageObject} from messages m where m.id = r.message_id)`

/** A run `r` as JSON. */
const runObject = sql`
  jsonb_build_object('id', r.id, 'localTime', r.local_time,
    'dueAt', to_char(r.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'number', r.number,
    'state', r.state, 'reason', r.reason, 'jobId', r.job_id, 'outcome', r.outcome, 'message', ${messageOfRun})`

const row = sql`
  select s.id, s.name, s.job_type, s.state, s.paused_reason, s.rule, s.author_name, s.created_at,
    (select jsonb_build_object('id', i.id, 'name', i.name) from instances i where i.id = s.instance_id) as instance,
    (select count(*) from series_messages sm where sm.series_id = s.id) as message_count,
    (
      select ${runObject} from series_runs r where r.series_id = s.id and ${isToCome} order by r.due_at, r.id limit 1
    ) as next_run`

const canSee = (caller: Caller) => canSeeInstance(caller, 's.instance_id')

const sortBy = {
  id: sql`s.id`,
  name: sql`lower(s.name)`,
  createdAt: sql`s.created_at`,
  nextRun: sql`coalesce((
    select min(r.due_at) from series_runs r where r.series_id = s.id and ${isToCome}), 'infinity')`,
}

export function listSeries(db: Db, caller: Caller, query: SeriesQuery) {
  const { search, instanceId = null, state = null } = query
  return listPage<SeriesRow>(db, query, {
    select: row,
    from: sql`
      from series s
      where ${canSee(caller)} and unaccent_lower(s.name) like like_pattern(${search})
        and (${instanceId}::bigint is null or s.instance_id = ${instanceId})
        and (${state}::text is null or s.state = ${state})`,
    sortBy: sortBy[query.sortBy],
    id: sql`s.id`,
    countKey: ['series', isAdmin(caller) || caller.instanceIds, search, instanceId, state],
  })
}

type Found = Omit<Series, keyof SeriesPeople | 'groups' | 'contacts'> & {
  recipients: SeriesPeople
  groups: Series['groups']
  contacts: Series['contacts']
}

export async function findSeries(db: Db, caller: Caller, id: number): Promise<Series | null> {
  const found = await db.maybeOne<Found>(sql`
    ${row}, ${approval(caller)} as approval, s.recipients, s.quiet_days, s.quiet_policy, s.overlap, s.version, s.next_position,
      s.frozen is not null as is_frozen,
      jsonb_array_length(s.frozen->'ids') + jsonb_array_length(s.frozen->'numbers') as frozen_count,
      (
        select jsonb_agg(${messageObject} order by sm.position)
        from series_messages sm join messages m on m.id = sm.message_id where sm.series_id = s.id
      ) as messages,
      (
        select coalesce(jsonb_agg(${runObject} order by r.due_at, r.id), '[]')
        from series_runs r where r.series_id = s.id and r.message_id is not null
      ) as changed_runs,
      ${named(sql`groups x where x.instance_id = s.instance_id and x.id in (
        select value::bigint from jsonb_array_elements_text(s.recipients->'groupIds'))`)} as groups,
      ${named(sql`contacts x where x.id in (
        select value::bigint from jsonb_array_elements_text(s.recipients->'contactIds'))
        and exists (select from contacts c where c.id = x.id and ${await canSeeContact(db, caller)})`)} as contacts,
      ${named(sql`series_group_sets y join group_sets x on x.id = y.group_set_id where y.series_id = s.id`)}
        as group_sets,
      ${lists(caller, false)} as lists, ${lists(caller, true)} as excluded_lists
    from series s where s.id = ${id} and ${canSee(caller)}`)
  if (!found) return null
  const { recipients, ...series } = found
  const { groupIds: _groups, contactIds, ...people } = recipients
  return { ...series, messages: series.messages ?? [], ...people, contactIds }
}

/** The names of the rows `x`. */
function named(rows: Sql) {
  return sql`(
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'name', x.name) order by x.name, x.id), '[]') from ${rows})`
}

/** A list that the caller may not use has only its number. */
const lists = (caller: Caller, isExcluded: boolean) =>
  named(sql`(
    select l.id, case when ${canUseList(caller, 'l')} then l.name else '#' || l.id end as name
    from series_lists y join lists l on l.id = y.list_id
    where y.series_id = s.id and y.is_excluded = ${isExcluded}) x`)

/** The approval of the series `s`. Null where the account needs none. */
const approval = (caller: Caller) => sql`(
  select jsonb_build_object('isApproved', ${isApprovedSeries},
    'unapprovedRuns', (select count(*) ${unapprovedRuns}), 'by', s.approved_by_name, 'at', ${asInstant(sql`s.approved_at`)}, 'recipients', s.approved_recipients,
    'changesAsked', case when ${areChangesAsked} then jsonb_build_object('by', s.changes_asked_by_name,
      'at', ${asInstant(sql`s.changes_asked_at`)}, 'words', s.changes_asked_words) end,
    'canApprove', ${isNoAuthorOfSeries(sql`${caller.id}`)} and s.state <> 'ended'
      and exists (select from users u where u.id = ${caller.id} and ${canApproveFor('u', sql`s.instance_id`)}))
  from instances i where i.id = s.instance_id and i.approval <> 'never')`

/** Approves what a locked series is now, unless something of it is the user's own. Returns whether they may. */
export async function saveApproval(tx: Tx, id: number, by: Caller, recipients: number): Promise<boolean> {
  const approved = await tx.run(sql`
    update series s set approved_hash = series_content_hash(s.id), approved_recipients = ${recipients},
      approved_by_name = ${by.username}, approved_at = clock_now(), version = version + 1
    where s.id = ${id} and ${isNoAuthorOfSeries(sql`${by.id}`)}`)
  if (approved === 0) return false
  await tx.run(sql`
    update series_runs set approved_message = message_content_hash(message_id)
    where series_id = ${id} and message_id is not null`)
  return true
}

/** Whether the user may ask for changes of a series: it is neither theirs nor approved. */
export const findReview = (tx: Tx, id: number, by: Caller) =>
  tx.one<{ isOwn: boolean; isWaiting: boolean }>(sql`
    select not ${isNoAuthorOfSeries(sql`${by.id}`)} as is_own,
      i.approval <> 'never' and s.state <> 'ended' and not ${isWhollyApproved} as is_waiting
    from series s join instances i on i.id = s.instance_id where s.id = ${id}`)

/** The series has another version then, so that nobody approves it without reading the words. */
export const saveChangesAsked = (tx: Tx, id: number, by: Caller, words: string) =>
  tx.run(sql`
    update series set version = version + 1, changes_asked_version = version + 1,
      changes_asked_by_name = ${by.username}, changes_asked_words = ${words}, changes_asked_at = clock_now()
    where id = ${id}`)

/** How many series of the account have not ended. Others that are added at the same moment may come on top. */
export const countOpen = async (db: Db, instanceId: number) =>
  (
    await db.one<{ count: number }>(sql`
    select count(*) from series where instance_id = ${instanceId} and state <> 'ended'`)
  ).count

/** The columns of a series that its form sets. */
export type Columns = Pick<
  SeriesChange,
  'name' | 'instanceId' | 'jobType' | 'rule' | 'quietDays' | 'quietPolicy' | 'overlap'
> & { recipients: SeriesPeople }

/** The series whose row a command has locked, so that nothing else changes it or makes a run meanwhile. */
export type LockedSeries = Columns & {
  id: number
  state: Series['state']
  version: number
  frozen: object | null
  authorId: number | null
}

export async function lockSeries(tx: Db, caller: Caller, id: number): Promise<LockedSeries | null> {
  const locked = await tx.maybeOne<LockedSeries>(sql`
    select s.id, s.name, s.instance_id, s.job_type, s.rule, s.quiet_days, s.quiet_policy, s.overlap, s.recipients,
      s.frozen, s.state, s.version, s.author_id
    from series s where s.id = ${id} and ${canSee(caller)} for update of s`)
  return locked ?? null
}

const asRow = ({ recipients, rule, quietDays, ...columns }: Columns) => ({
  ...columns,
  quietDays: [...quietDays],
  rule: json(rule),
  recipients: json(recipients),
})

export async function insertSeries(
  tx: Db,
  caller: Caller,
  columns: Columns,
  frozen: object | null,
): Promise<number> {
  const { id } = await tx.one<{ id: number }>(sql`
    insert into series ${values({
      ...asRow(columns),
      frozen: json(frozen),
      authorId: caller.id,
      authorName: caller.username,
    })} returning id`)
  return id
}

export const updateSeries = (
  tx: Db,
  caller: Caller,
  id: number,
  columns: Columns & { frozen: object | null; nextPosition: number },
) => {
  const { frozen, nextPosition, ...form } = columns
  return tx.run(sql`
    update series
    set ${assignments({
      ...asRow(form),
      frozen: json(frozen),
      nextPosition,
      authorId: caller.id,
      authorName: caller.username,
      textEditedByUserId: null,
      version: sql`version + 1`,
    })}
    where id = ${id}`)
}

export const setState = (tx: Db, id: number, state: SeriesState, reason: Reason | null = null) =>
  tx.run(sql`
    update series set state = ${state}, paused_reason = ${json(reason)}, failed_in_a_row = 0 where id = ${id}`)

export const deleteSeries = (tx: Db, id: number) => tx.run(sql`delete from series where id = ${id}`)

type Sources = Pick<SeriesChange, 'messageIds' | 'groupSetIds' | 'listIds' | 'excludedListIds'>

/** Replaces the messages, lists and sets of groups of a series. None of them can be deleted from then on. */
export async function replaceSources(tx: Db, id: number, sources: Sources): Promise<void> {
  const { messageIds, groupSetIds, listIds, excludedListIds } = sources
  await tx.run(sql`delete from series_messages where series_id = ${id}`)
  await tx.run(sql`
    insert into series_messages (series_id, position, message_id)
    select ${id}, place - 1, message_id
    from unnest(${messageIds}::bigint[]) with ordinality as m (message_id, place)`)
  await tx.run(sql`delete from series_group_sets where series_id = ${id}`)
  await tx.run(sql`
    insert into series_group_sets (series_id, group_set_id)
    select distinct ${id}::bigint, set_id from unnest(${groupSetIds}::bigint[]) set_id`)
  await tx.run(sql`delete from series_lists where series_id = ${id}`)
  await tx.run(sql`
    insert into series_lists (series_id, list_id, is_excluded)
    select ${id}::bigint, list_id, false from unnest(${listIds}::bigint[]) list_id union
    select ${id}::bigint, list_id, true from unnest(${excludedListIds}::bigint[]) list_id`)
}

export type Source = { id: number; textContent: string; hasVariables: boolean }

/** Those of these messages that the caller may use, kept from being deleted until the transaction ends. */
export const lockMessagesForShare = (tx: Db, caller: Caller, ids: readonly number[]) =>
  tx.many<Source>(sql`
    select m.id, m.text_content, m.has_variables from messages m
    where m.id = any(${ids}::bigint[]) and ${canSeeMessage(caller, 'm')} order by m.id for key share`)

/** The author of a series that the caller sees. Null without one. */
export async function readAuthorId(tx: Tx, caller: Caller, id: number): Promise<number | null> {
  const series = await tx.maybeOne<{ authorId: number | null }>(sql`
    select s.author_id from series s where s.id = ${id} and ${canSee(caller)}`)
  return series?.authorId ?? null
}

/** The messages of a series in turn, and the place of the next one. */
export const readTurn = (tx: Db, id: number) =>
  tx.one<{ messageIds: number[]; nextPosition: number }>(sql`
    select s.next_position, array(
      select sm.message_id from series_messages sm where sm.series_id = s.id order by sm.position) as message_ids
    from series s where s.id = ${id}`)

/** The choices beside the columns of the row. */
export const readChosen = (tx: Db, id: number) =>
  tx.one<Omit<Sources, 'messageIds'>>(sql`
    select array(select group_set_id from series_group_sets where series_id = ${id} order by 1) as group_set_ids,
      array(select list_id from series_lists where series_id = ${id} and not is_excluded order by 1) as list_ids,
      array(select list_id from series_lists where series_id = ${id} and is_excluded order by 1) as excluded_list_ids`)
