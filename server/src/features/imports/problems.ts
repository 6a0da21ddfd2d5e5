import { fill } from '@sendroom/contract/errors'
import type { Import, RowProblem } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import type { RowProblemCode } from '@sendroom/contract/table-files'
import type { Caller, Recheck } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import type { Download, Exports } from '../../platform/export/exports.ts'
import { fileNamePart } from '../../platform/export/file-name.ts'
import { type Column, findToday, readPages, toCsv } from '../../platform/export/tables.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import { webTexts } from '../../platform/web-texts.ts'
import { findImport } from './imports.queries.ts'
import { findShape, languageOf, type ProblemRow, problemsAfter } from './problems.queries.ts'

type Texts = {
  IMPORT: { ROW: string; REASON: string; COLUMN: string }
  IMPORT_PROBLEM: Record<RowProblemCode, string>
}

/** Exports the rows that were not imported, so that somebody can correct them and import the file. */
export async function exportProblems(
  { db, exports }: { db: Pool; exports: Exports },
  { caller, recheck }: { caller: Caller; recheck: Recheck },
  id: number,
  signal: AbortSignal,
): Promise<Download> {
  const found = await requireProblems(db, caller, id)
  const texts = webTexts<Texts>(await languageOf(db, caller.id))
  const columns = columnsOf(texts, await findShape(db, id))
  return exports.open({ caller, signal }, async () => {
    const pages = await readPages<ProblemRow>(
      (last) => problemsAfter(db, id, last?.place ?? 0),
      async () => requireProblems(db, await recheck(), id),
    )
    await db.begin((tx) =>
      record(tx, caller, {
        action: 'import.export',
        object: { type: 'import', id, name: '' },
        details: { count: found.twice + found.refused },
      }),
    )
    const name = fileNamePart(found.fileName.replace(/\.\w+$/, '')) || 'Import'
    return { fileName: `${name}_${await findToday(db)}.csv`, chunks: toCsv(columns, pages) }
  })
}

async function requireProblems(db: Db, caller: Caller, id: number): Promise<Import> {
  const found = orNotFound(await findImport(db, caller, id))
  if (!found.hasProblems) throw new Refusal('not_found')
  return found
}

function columnsOf(
  { IMPORT, IMPORT_PROBLEM }: Texts,
  { header, width }: { header: string[] | null; width: number },
): Column<ProblemRow>[] {
  const titles = Array.from({ length: Math.max(width, header?.length ?? 0) }, (_, place) => place).map(
    (place) => header?.[place] || fill(IMPORT.COLUMN, { number: place + 1 }),
  )
  return [
    ...titles.map((title, place) => ({ title, cell: ({ cells }: ProblemRow) => cells?.[place] ?? '' })),
    { title: IMPORT.ROW, cell: ({ number }) => String(number) },
    { title: IMPORT.REASON, cell: ({ problem }) => sentenceOf(IMPORT_PROBLEM, problem) },
  ]
}

const sentenceOf = (texts: Texts['IMPORT_PROBLEM'], { code, params }: RowProblem) =>
  fill(texts[code], { ...limits, ...params })
