import { defaultOptOutWords } from '@sendroom/contract/opt-out-words'
import type {
  OptOut,
  OptOutSearch,
  OptOutSettings,
  PossibleOptOut,
  PossibleQuery,
} from '@sendroom/contract/opt-outs'
import type { Page } from '@sendroom/contract/paging'
import { type Caller, canSeeInstance } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { listPage } from '../../platform/list.ts'
import { searchCondition } from '../../platform/search.ts'

/** The columns about the person of a row `o`, and the account's name if the caller sees it. */
const personFor = (caller: Caller) => sql`
  '+' || o.phone as phone_number, o.lid,
  (select jsonb_build_object('id', c.id, 'name', c.name)
   from contact_identities i join contacts c on c.id = i.contact_id
   where (i.kind, i.value) in (('phone', o.phone), ('lid', o.lid)) order by i.kind desc limit 1) as contact,
  (select jsonb_build_object('id', a.id, 'name', a.name) from instances a
   where a.id = o.instance_id and ${canSeeInstance(caller, 'a.id')}) as instance`

const holds = sql`exists (select from opted_out h where h.opt_out_id = o.id)`

const optOutRow = (caller: Caller) => sql`
  select o.id, ${personFor(caller)}, o.source, o.words, o.is_for_all,
    (select coalesce('+' || other.phone, other.lid) from opt_outs other where other.id = o.linked_to) as same_as, o.said_at, o.created_by_user_name as created_by,
    ${holds} as holds, o.ended_at, o.ended_by_user_name as ended_by, o.ended_reason`

export async function searchOptOuts(db: Db, caller: Caller, query: OptOutSearch): Promise<Page<OptOut>> {
  const { search, only, contactId = null } = query
  const matches = search ? await searchCondition(db, 'opt_outs', 'o', search) : sql`true`
  return listPage<OptOut>(db, query, {
    select: optOutRow(caller),
    from: sql`
      from opt_outs o where ${matches} and ${onlyThose(only)}
        and (${contactId}::bigint is null or o.id in (${ofContact(contactId)}))`,
    sortBy: sql`o.said_at`,
    id: sql`o.id`,
    countKey: ['opt-outs', search, only, contactId],
  })
}

/** As many as a page of an export has. */
const OPT_OUTS_AT_ONCE = 1000

/** Returns a function that reads those after an id, in the order of the ids. */
export async function listOptOutsAfter(
  db: Db,
  caller: Caller,
  { search, only }: Pick<OptOutSearch, 'search' | 'only'>,
): Promise<(id: number) => Promise<OptOut[]>> {
  const matches = search ? await searchCondition(db, 'opt_outs', 'o', search) : sql`true`
  return (id) =>
    db.many<OptOut>(sql`
      ${optOutRow(caller)} from opt_outs o where ${matches} and ${onlyThose(only)} and o.id > ${id}
      order by o.id limit ${OPT_OUTS_AT_ONCE}`)
}

const onlyThose = (only: OptOutSearch['only']) =>
  only === 'holding' ? holds : only === 'ended' ? sql`not ${holds}` : sql`true`

/** Those that hold for the contact, and those of the past in which a number of it was named. */
const ofContact = (contactId: number | null) => sql`
  select h.opt_out_id from contact_identities i join opted_out h on h.kind = i.kind and h.value = i.value
  where i.contact_id = ${contactId}
  union
  select past.id from contact_identities i join opt_outs past on past.phone = i.value
  where i.contact_id = ${contactId} and i.kind = 'phone'
  union
  select past.id from contact_identities i join opt_outs past on past.lid = i.value
  where i.contact_id = ${contactId} and i.kind = 'lid'`

export async function findOptOut(db: Db, caller: Caller, id: number): Promise<OptOut | null> {
  const found = await db.maybeOne<OptOut>(sql`${optOutRow(caller)} from opt_outs o where o.id = ${id}`)
  return found ?? null
}

export const listPossible = (db: Db, caller: Caller, query: PossibleQuery): Promise<Page<PossibleOptOut>> =>
  listPage<PossibleOptOut>(
    db,
    { ...query, sortDirection: 'desc' },
    {
      select: sql`select o.id, ${personFor(caller)}, o.why, o.words, o.said_at, o.version`,
      from: sql`from possible_opt_outs o where o.decided_at is null`,
      sortBy: sql`o.said_at`,
      id: sql`o.id`,
      countKey: ['possible-opt-outs'],
    },
  )

export type Undecided = {
  id: number
  phone: string | null
  lid: string | null
  words: string
  saidAt: string
  instanceId: number
  version: number
  isDecided: boolean
}

export const lockPossible = (tx: Db, id: number) =>
  tx.maybeOne<Undecided>(sql`
    select id, phone, lid, words, said_at, instance_id, version, decided_at is not null as is_decided
    from possible_opt_outs where id = ${id} for update`)

/** Does nothing if the opt-out has decided it already, with all else that the person wrote. */
export const writeDecision = (tx: Db, id: number, decision: { byName: string; optOutId: number | null }) =>
  tx.run(sql`
    update possible_opt_outs
    set decided_at = clock_now(), decided_by_user_name = ${decision.byName}, opt_out_id = ${decision.optOutId},
      version = version + 1
    where id = ${id} and decided_at is null`)

type Stored = Omit<OptOutSettings, 'words'> & { words: OptOutSettings['words'] | null }

const withDefaults = ({ words, ...settings }: Stored): OptOutSettings => ({
  ...settings,
  words: words ?? defaultOptOutWords,
})

export const readSettings = async (db: Db) =>
  withDefaults(await db.one<Stored>(sql`select is_for_all, words, version from opt_out_settings`))

/** Reads the settings before a change. Two changes at once happen one after the other. */
export const lockSettings = async (tx: Db) =>
  withDefaults(await tx.one<Stored>(sql`select is_for_all, words, version from opt_out_settings for update`))

export const writeSettings = async (
  tx: Db,
  { isForAll, words }: Pick<OptOutSettings, 'isForAll' | 'words'>,
) =>
  withDefaults(
    await tx.one<Stored>(sql`
      update opt_out_settings set is_for_all = ${isForAll}, words = ${json(words)}, version = version + 1
      returning is_for_all, words, version`),
  )
