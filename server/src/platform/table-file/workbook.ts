import { posix } from 'node:path'
import { type NumberFormat, numberFormatOf } from './number-cell.ts'
import type { Row } from './row.ts'
import { readSharedStrings, readSheet } from './sheet.ts'
import type { TableSource } from './source.ts'
import { TableFileError } from './table-file-error.ts'
import { attribute } from './xml.ts'
import { openZip, type Zip } from './zip.ts'

/** Styles may be many, names and references are few. Each becomes an object. */
const MAX_STYLES_BYTES = 16 << 20
const MAX_PART_BYTES = 1 << 20

type Sheet = { name: string; path: string; isHidden: boolean }
type Relation = { id: string; type: string; path: string }

export type Workbook = {
  /** The names of the sheets with cells, in their order. */
  sheets: string[]
  /** The sheet that is read if none is chosen. */
  firstVisible: string
  rows: (sheet: string) => AsyncGenerator<Row>
  close: () => void
}

/** Opens an xlsx. Its cells are only read by `rows`. */
export async function openWorkbook(source: TableSource): Promise<Workbook> {
  const zip = await openZip(source)
  try {
    const [root] = (await readRelations(zip, '')).filter(({ type }) => type === 'officeDocument')
    if (!root?.path.endsWith('.xml')) throw new TableFileError('unsupported')
    const relations = await readRelations(zip, root.path)
    const { sheets, isFrom1904 } = await readSheets(zip, root.path, relations)
    const visible = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
    if (!visible) throw new TableFileError('empty')
    const partOf = (type: string) => relations.find((relation) => relation.type === type)?.path
    return {
      sheets: sheets.map(({ name }) => name),
      firstVisible: visible.name,
      async *rows(name) {
        const sheet = sheets.find((sheet) => sheet.name === name)
        if (!sheet) throw new TableFileError('no_such_sheet')
        const formats = await readNumberFormats(zip, partOf('styles'))
        const sharedStrings = await readSharedStrings(zip, partOf('sharedStrings'))
        yield* readSheet(zip, sheet.path, { formats, sharedStrings, isFrom1904 })
      },
      close: zip.close,
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** Returns the parts that a part refers to, or those of the whole file for an empty path. */
async function readRelations(zip: Zip, of: string): Promise<Relation[]> {
  const folder = posix.dirname(of)
  const relations: Relation[] = []
  const path = posix.join(folder, '_rels', `${posix.basename(of)}.rels`)
  if (!zip.has(path)) throw new TableFileError('unsupported')
  await readTags(zip, path, (name, attributes) => {
    if (name !== 'Relationship') return
    const target = attribute(attributes, 'Target') ?? ''
    relations.push({
      id: attribute(attributes, 'Id') ?? '',
      type: posix.basename(attribute(attributes, 'Type') ?? ''),
      path: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    })
  })
  return relations
}

async function readSheets(zip: Zip, path: string, relations: Relation[]) {
  const sheets: Sheet[] = []
  let isFrom1904 = false
  await readTags(zip, path, (name, attributes) => {
    if (name === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '')
    if (name !== 'sheet') return
    const id = attribute(attributes, 'id')
    const found = relations.find((relation) => relation.id === id && relation.type === 'worksheet')
    const isHidden =
      attribute(attributes, 'state') !== undefined && attribute(attributes, 'state') !== 'visible'
    if (found) sheets.push({ name: attribute(attributes, 'name') ?? '', path: found.path, isHidden })
  })
  return { sheets, isFrom1904 }
}

/** Returns the number format of each style that a cell can name. */
async function readNumberFormats(zip: Zip, path: string | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = []
  if (path === undefined || !zip.has(path)) return formats
  const codes = new Map<number, string>()
  let isOfCells = false
  const open = (name: string, attributes: string) => {
    const id = Number(attribute(attributes, 'numFmtId') ?? 0)
    if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '')
    if (name === 'cellXfs') isOfCells = true
    if (name === 'xf' && isOfCells) formats.push(numberFormatOf(id, codes.get(id)))
  }
  const close = (name: string) => {
    if (name === 'cellXfs') isOfCells = false
  }
  for await (const _ of zip.readXml(path, MAX_STYLES_BYTES, { open, close, text: () => {} }));
  return formats
}

async function readTags(
  zip: Zip,
  path: string,
  open: (name: string, attributes: string) => void,
): Promise<void> {
  for await (const _ of zip.readXml(path, MAX_PART_BYTES, { open, close: () => {}, text: () => {} }));
}
