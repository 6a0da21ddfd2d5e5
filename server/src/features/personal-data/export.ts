import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { identifier, join, sql } from '../../platform/database/sql.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { findToday } from '../../platform/export/tables.ts'
import { findPerson, type HashedNumber } from './person.ts'
import { type Person, places } from './places.ts'

const PAGE = 500

/** A JSON file with every row about a number, by its table. */
export const exportNumber = (
  { db, exports }: { db: Pool; exports: Exports },
  { caller, begin, recheck }: { caller: Caller; begin: Begin; recheck: Recheck },
  { phone, hash }: HashedNumber,
  signal: AbortSignal,
): Promise<Download> =>
  exports.open({ caller, signal }, async () => {
    const person = await findPerson(db, phone)
    // The audit log can't be changed, so it gets no number.
    await begin((tx, now) => record(tx, now, { action: 'personal_data.export', details: { hash } }))
    return {
      fileName: `PersonalData_${await findToday(db)}.json`,
      chunks: chunksOf(db, phone, person, recheck),
    }
  })

async function* chunksOf(db: Db, phone: string, person: Person, recheck: Recheck): AsyncGenerator<string> {
  yield `{"phoneNumber":"+${phone}","exportedAt":"${new Date().toISOString()}","holds":{`
  let separator = '\n'
  for (const table of Object.keys(places)) {
    yield `${separator}${JSON.stringify(table)}:[`
    separator = '],\n'
    let comma = '\n'
    for await (const row of rowsOf(db, table, person, recheck)) {
      yield `${comma}${JSON.stringify(row)}`
      comma = ',\n'
    }
  }
  yield ']}}\n'
}

type Row = { at: string; row: object }

/** Reads page by page, in the order in which the table stores its rows: not every table has a key of one number. */
async function* rowsOf(db: Db, table: string, person: Person, recheck: Recheck): AsyncGenerator<object> {
  const { where, columns } = places[table] ?? { where: () => sql`false` }
  const row = columns
    ? sql`jsonb_build_object(${join(columns.flatMap((name) => [sql`${name}::text`, sql`t.${identifier(name)}`]))})`
    : sql`to_jsonb(t) - 'search_text'`
  for (let last = '(0,0)', isMore = true; isMore; ) {
    const page = await db.many<Row>(sql`
      select t.ctid::text as at, ${row} as row from ${identifier(table)} t
      where t.ctid > ${last}::text::tid and ${where(person)}
      order by t.ctid limit ${PAGE}`)
    await recheck()
    yield* page.map(({ row }) => row)
    last = page.at(-1)?.at ?? last
    isMore = page.length === PAGE
  }
}
