import type {
  Import,
  ImportFromInstance,
  ImportPreview,
  ImportStart,
  ReadingChange,
} from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { type Begin, type Caller, lockInstanceForShare, requireRight } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import { findOrMakeTags } from '../../platform/contacts/tags.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import { isUniqueViolation } from '../../platform/database/errors.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import {
  beginUndo,
  deleteImport,
  findImport,
  findReading,
  firstPeople,
  insertImport,
  type Locked,
  lockFixedList,
  lockGroups,
  lockImport,
  readFields,
  setReading,
  startImport,
  tagsOfRows,
} from './imports.queries.ts'
import { openFile } from './parts.queries.ts'
import { readRow, shownCells } from './read-row.ts'
import { choicesOf, countryOf, previewFile, recognise } from './reading.ts'
import { requireRoom } from './upload.ts'

/** Recognises how the uploaded file is to be read. From then on the user sees the import, and its rows are checked. */
export async function finishUpload(
  { db, begin }: { db: Pool; begin: Begin },
  { id, fileName, country }: { id: number; fileName: string; country: string },
): Promise<Import> {
  const read = await recogniseFile(db, id, { country })
  return begin(async (tx, caller) => {
    await setReading(tx, id, { ...read, fileName })
    await record(tx, caller, entryOf('import.create', id, { source: 'file' }))
    return orNotFound(await findImport(tx, caller, id))
  })
}

async function recogniseFile(db: Db, id: number, change: ReadingChange) {
  return recognise(orNotFound(await openFile(db, id)), change, await readFields(db))
}

/** Takes people from an account. The members of groups need the right to export them. */
export const importFromInstance = (
  begin: Begin,
  { instanceId, groupIds }: ImportFromInstance,
): Promise<Import> =>
  begin(async (tx, caller) => {
    if (!(await lockInstanceForShare(tx, caller, instanceId)))
      throw new InvalidInput({ instanceId: 'MESSAGE.INSTANCE_INVALID' })
    if (groupIds.length > 0) requireRight(caller, 'canExportParticipants')
    const ids = [...new Set(groupIds)]
    if ((await lockGroups(tx, instanceId, ids)) < ids.length)
      throw new InvalidInput({ groupIds: 'MESSAGE.GROUP_INVALID' })
    await requireRoom(tx, caller)
    const source = ids.length > 0 ? 'groups' : 'addressBook'
    const id = await insertImport(tx, caller, { source, status: 'checking', instanceId, groupIds: ids })
    await record(tx, caller, entryOf('import.create', id, { source, instanceId, groupIds: ids }))
    return orNotFound(await findImport(tx, caller, id))
  })

/** Changes how the file is read. */
export async function changeReading(
  { db, begin, caller }: { db: Pool; begin: Begin; caller: Caller },
  id: number,
  change: ReadingChange,
): Promise<Import> {
  requireWaiting(orNotFound(await findImport(db, caller, id)))
  const read = await recogniseFile(db, id, change)
  return begin(async (tx, caller) => {
    const locked = orNotFound(await lockImport(tx, caller, id))
    requireVersion(change.version, locked.version)
    requireWaiting(locked)
    await setReading(tx, id, read)
    return orNotFound(await findImport(tx, caller, id))
  })
}

/** Refuses one that has begun. */
function requireWaiting({ status }: Pick<Locked, 'status'>) {
  if (status !== 'checking' && status !== 'checked') throw new Refusal('import_not_ready')
}

/** The longest text of a cell that a page shows. */
const SHOWN_CHARACTERS = 200
const shorten = (cell: string) =>
  cell.length > SHOWN_CHARACTERS ? `${cell.slice(0, SHOWN_CHARACTERS)}…` : cell

export async function previewImport(db: Db, caller: Caller, id: number): Promise<ImportPreview> {
  const { reading, isGuess } = orNotFound(await findReading(db, caller, id))
  if (!reading) {
    const people = await firstPeople(db, id)
    const rows = people.map((row) => ({ ...row, problem: null }))
    return { isGuess: false, sheets: [], header: null, rows }
  }
  const fields = await readFields(db)
  const country = countryOf(reading.country)
  const file = orNotFound(await openFile(db, id))
  const preview = await previewFile(file, choicesOf(reading), fields, country)
  const reader = { columns: reading.columns, country, fields }
  return {
    isGuess,
    sheets: preview.sheets,
    header: preview.header?.map(shorten) ?? null,
    rows: preview.rows.slice(0, limits.importPreview).map((row) => {
      const read = readRow(row, reader)
      return {
        number: row.number,
        cells: shownCells(row, read, reader).map(shorten),
        problem: 'problem' in read ? read.problem : null,
      }
    }),
  }
}

export const beginImport = (begin: Begin, id: number, form: ImportStart): Promise<Import> =>
  begin(async (tx, caller) => {
    const locked = orNotFound(await lockImport(tx, caller, id))
    requireVersion(form.version, locked.version)
    if (locked.status !== 'checked' || locked.fault) throw new Refusal('import_not_ready')
    if (!locked.isAllowed) throw new Refusal('import_not_allowed')
    if (form.listId !== null && !(await lockFixedList(tx, form.listId)))
      throw new InvalidInput({ listId: 'IMPORT.LIST_INVALID' })
    await makeTags(tx, id, form)
    await startImport(tx, caller, id, form).catch(refuseSecond)
    const { known, listId, tags, consent } = form
    await record(tx, caller, entryOf('import.start', id, { known, listId, tags: tags.length, consent }))
    return orNotFound(await findImport(tx, caller, id))
  })

/** Makes all tags at once, because their number is limited. */
async function makeTags(tx: Tx, id: number, { tags }: ImportStart) {
  const names = [...tags, ...(await tagsOfRows(tx, id))]
  if (names.length > limits.tags || !(await findOrMakeTags(tx, names))) throw new Refusal('too_many_tags')
}

export const undoImport = (begin: Begin, id: number): Promise<Import> =>
  begin(async (tx, caller) => {
    const locked = orNotFound(await lockImport(tx, caller, id))
    if (locked.status !== 'done' || !locked.hasDetails) throw new Refusal('import_not_undoable')
    await beginUndo(tx, id).catch(refuseSecond)
    await record(tx, caller, entryOf('import.undo', id))
    return orNotFound(await findImport(tx, caller, id))
  })

function refuseSecond(error: unknown): never {
  throw isUniqueViolation(error, 'imports_one_at_a_time') ? new Refusal('import_busy') : error
}

export const removeImport = (begin: Begin, id: number): Promise<void> =>
  begin(async (tx, caller) => {
    requireWaiting(orNotFound(await lockImport(tx, caller, id)))
    await deleteImport(tx, id)
    await record(tx, caller, entryOf('import.delete', id))
  })

/** The audit log can't be changed, so it gets numbers and ids only: a file's name may be a person's. */
const entryOf = (action: Entry['action'], id: number, details: Record<string, unknown> = {}): Entry => ({
  action,
  object: { type: 'import', id, name: '' },
  details,
})
