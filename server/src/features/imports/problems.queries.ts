import type { RowProblem } from '@sendroom/contract/imports'
import type { Language } from '@sendroom/contract/languages'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'

/** A row that was not imported. Cells may be none if its person was found to be in an earlier row. */
export type ProblemRow = { place: number; number: number; cells: string[] | null; problem: RowProblem }

const PAGE = 1000

export const problemsAfter = (db: Db, importId: number, place: number) =>
  db.many<ProblemRow>(sql`
    select place, number, cells, problem from import_rows
    where import_id = ${importId} and place > ${place} and outcome in ('refused', 'twice')
    order by place limit ${PAGE}`)

/** The header of the file, and the most cells of a row. */
export const findShape = (db: Db, importId: number) =>
  db.one<{ header: string[] | null; width: number }>(sql`
    select header, (
      select coalesce(max(cardinality(cells)), 0) from import_rows
      where import_id = ${importId} and outcome in ('refused', 'twice')
    ) as width
    from imports where id = ${importId}`)

export async function languageOf(db: Db, userId: number): Promise<Language> {
  const { language } = await db.one<{ language: Language }>(sql`
    select language from users where id = ${userId}`)
  return language
}
