import type { ContactFieldType } from '@sendroom/contract/contact-fields'
import type { ColumnMeaning, RowProblem } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { isInsertable } from '@sendroom/contract/personal-text'
import type { CountryCode } from 'libphonenumber-js'
import { spellingOf } from '../../platform/contacts/field-values.ts'
import { readPhoneCell } from '../../platform/table-file/phone-cell.ts'
import type { Row } from '../../platform/table-file/row.ts'

/** A field of contacts, as the database has it. */
export type Field = { id: number; key: string; name: string; type: ContactFieldType; choices: string[] }

/** A person as a row says. Values are spelled as they are stored, by the ids of their fields. */
export type Person = {
  kind: 'phone' | 'lid'
  value: string
  name: string
  note: string
  tags: string[]
  fieldValues: Record<string, string>
}

export type ReadRow = { person: Person } | { problem: RowProblem }

export type RowReader = {
  columns: readonly ColumnMeaning[]
  country: CountryCode
  fields: readonly Field[]
}

/** Reads a row of a file, or says what is wrong with it. Nothing is guessed. */
export function readRow(row: Row, reader: RowReader): ReadRow {
  try {
    return { person: personOf(row, reader) }
  } catch (error) {
    if (error instanceof WrongRow) return { problem: error.problem }
    throw error
  }
}

class WrongRow extends Error {
  readonly problem: RowProblem

  constructor(code: RowProblem['code'], params: RowProblem['params'] = {}) {
    super(code)
    this.problem = { code, params }
  }
}

function personOf({ cells, fault }: Row, { columns, country, fields }: RowReader): Person {
  if (fault?.kind === 'cut_off') throw new WrongRow('cut_off')
  if (fault && columns[fault.column]) throw new WrongRow('cell_too_long')
  const cellOf = (meaning: ColumnMeaning) => cells[columns.indexOf(meaning)] ?? ''
  const value = phoneOf(cellOf('phone'), country)
  const note = cellOf('note')
  if (note.length > limits.contactNote) throw new WrongRow('note_too_long')
  return {
    kind: 'phone',
    value,
    name: nameOf(cellOf('name')),
    note,
    tags: tagsOf(cellOf('tags')),
    fieldValues: Object.fromEntries(valuesOf(cells, columns, fields)),
  }
}

function phoneOf(cell: string, country: CountryCode): string {
  const phone = readPhoneCell(cell, country)
  if ('number' in phone) return phone.number
  throw new WrongRow(`phone_${phone.fault}`, phone.likely ? { likely: `+${phone.likely}` } : {})
}

/** Tabs and signs that can't be seen are removed. A line break may come from a quotation mark that has no end. */
function nameOf(cell: string): string {
  const name = withoutInvisible(cell).replace(/[^\S\n]+/g, ' ')
  if (!isName(name) || name.length > limits.contactName) throw new WrongRow('name_invalid')
  return name
}

const isName = (text: string) => isInsertable(text) && !text.includes('\n')

/** Marks for the direction of the text, which some programs put around each name. */
const withoutInvisible = (text: string) =>
  text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim()

/** Tags are separated by commas, semicolons, bars or line breaks. Case does not distinguish two. */
function tagsOf(cell: string): string[] {
  const tags = new Map<string, string>()
  for (const tag of cell.split(/[,;|\n，；、]/).map(nameLike))
    if (tag !== '' && !tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), tag)
  const all = [...tags.values()]
  if (all.length > limits.contactTags || all.some((tag) => tag.length > limits.tagName || !isName(tag)))
    throw new WrongRow('tags_invalid')
  return all
}

const nameLike = (text: string) => withoutInvisible(text).replace(/\s+/g, ' ')

function* valuesOf(
  cells: readonly string[],
  columns: readonly ColumnMeaning[],
  fields: readonly Field[],
): Generator<[string, string]> {
  for (const [place, meaning] of columns.entries()) {
    const cell = withoutInvisible(cells[place] ?? '')
    if (typeof meaning !== 'object' || meaning === null || cell === '') continue
    const field = fields.find(({ key }) => key === meaning.field)
    if (!field) continue // deleted since the column was chosen
    const spelling = cell.length > limits.contactValue ? null : spellingOf(field, asTyped(field, cell))
    if (spelling === null) throw new WrongRow('value_invalid', { field: field.name })
    yield [String(field.id), spelling]
  }
}

/** Returns what a spreadsheet shows as a form would send it. */
function asTyped({ type, choices }: Field, cell: string): string {
  switch (type) {
    case 'date':
      return isoDate(cell)
    case 'yesNo':
      return yesNo(cell)
    case 'number':
      return cell.replace(/^(-?\d+),(\d{1,2})$/, '$1.$2')
    case 'choice':
      return choices.find((choice) => choice.toLowerCase() === cell.toLowerCase()) ?? cell
    case 'text':
      return cell
  }
}

/** Dates with slashes, dots or hyphens: the year first, or last and then the day before the month. */
function isoDate(cell: string): string {
  const [first = '', second = '', third = ''] = cell.replace(/[ T]00:00(:00)?$/, '').split(/[/.-]/)
  const [year, month, day] = first.length === 4 ? [first, second, third] : [third, second, first]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

const YES = new Set(['true', 'yes', 'y', '1', 'x', 'co', 'có', 'dung', 'đúng', '是', '对', '有'])
const NO = new Set(['false', 'no', 'n', '0', 'khong', 'không', 'sai', '否', '不', '无', '没有'])

function yesNo(cell: string): string {
  const word = cell.toLowerCase()
  if (YES.has(word)) return 'true'
  return NO.has(word) ? 'false' : cell
}

/**
 * Reads a person of a group or an address book. Nobody can correct a name there, so what does not fit is left out of
 * it. Returns null for whoever is no person.
 */
export function readPerson(personId: string, name: string): Person | null {
  const [, digits = '', isHidden] = /^(\d{5,20})(@lid)?$/.exec(personId) ?? []
  if (digits === '') return null
  const fitting = nameLike(name)
    .replace(/\p{Cc}|\{\{|\}\}/gu, '')
    .slice(0, limits.contactName)
    .toWellFormed()
    .trim()
  return {
    kind: isHidden ? 'lid' : 'phone',
    value: digits,
    name: fitting,
    note: '',
    tags: [],
    fieldValues: {},
  }
}

/** The cells of a row as they are understood, to be shown. */
export function shownCells({ cells }: Row, read: ReadRow, { columns, fields }: RowReader): string[] {
  if ('problem' in read) return cells
  const { person } = read
  return cells.map((cell, place) => {
    const meaning = columns[place] ?? null
    if (meaning === null) return cell
    if (meaning === 'phone') return `+${person.value}`
    if (meaning === 'tags') return person.tags.join(', ')
    if (typeof meaning === 'string') return person[meaning]
    const field = fields.find(({ key }) => key === meaning.field)
    return (field && person.fieldValues[field.id]) ?? cell
  })
}
