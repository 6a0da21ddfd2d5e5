import { normalize } from '@sendroom/contract/search-text'
import type { CountryCode } from 'libphonenumber-js'
import { readPhoneCell } from './phone-cell.ts'

/** A field that an Admin has defined. */
export type KnownField = { key: string; label: string }

/** The meaning of a column. Null is a column that is not imported unless somebody says what it is. */
export type ColumnMeaning = 'phone' | 'name' | 'note' | 'tags' | { field: string } | null

/** As `wordsOf` returns them, in Vietnamese, English and Chinese. */
const WORDS = {
  phone: [
    'so dien thoai|dien thoai|dien thoai di dong|so di dong|di dong|sdt|so dt|dt|so phone|so zalo|zalo|so lien lac',
    'phone|phone number|phone no|telephone|telephone number|tel|mobile|mobile number|mobile phone|mobile no|cell',
    'cell phone|cellphone|whatsapp|whatsapp number|whatsapp no|contact number|msisdn|number',
    '电话|电话号码|手机|手机号|手机号码|移动电话|联系电话|联系方式|號碼|电话号|電話|手機|手機號碼|電話號碼|聯絡電話',
  ],
  name: [
    'ten|ho ten|ho va ten|ho ten day du|ten day du|ten khach hang|khach hang|ten kh|ten lien he|ten hien thi',
    'name|full name|fullname|contact|contact name|customer|customer name|client|client name|display name',
    '姓名|名字|名称|全名|客户|客户姓名|客户名称|联系人|聯絡人|客戶|客戶姓名|昵称',
  ],
  note: [
    'ghi chu|chu thich|mo ta|nhan xet',
    'note|notes|comment|comments|remark|remarks|description',
    '备注|说明|注释|描述|備註',
  ],
  tags: [
    'nhan|the|nhom|phan loai|nhom khach hang',
    'tag|tags|label|labels|category|categories|segment|group|groups',
    '标签|分组|分类|类别|標籤',
  ],
} as const
type Meaning = keyof typeof WORDS

const MEANINGS = new Map(
  Object.entries(WORDS).flatMap(([meaning, lines]) =>
    lines.flatMap((line) => line.split('|').map((words) => [words, meaning as Meaning] as const)),
  ),
)

/** Ignores case, accents and punctuation: `Số ĐT (*)` is `so dt`. */
const wordsOf = (header: string) =>
  normalize(header)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The first row is a header if it names a column, or if the rows below have phone numbers and it has none. */
export function looksLikeHeader([first = [], ...rows]: string[][], country: CountryCode): boolean {
  if (first.some((cell) => isPhone(cell, country))) return false
  if (first.some((cell) => MEANINGS.has(wordsOf(cell)))) return true
  return findPhoneColumn(columnsOf(rows), rows, country) !== undefined
}

/** Guesses by the words of the header, then by the cells. No meaning is given to two columns. */
export function guessColumns(
  header: string[] | null,
  rows: string[][],
  { fields, defaultCountry }: { fields: readonly KnownField[]; defaultCountry: CountryCode },
): ColumnMeaning[] {
  const titles = (header ?? []).map(wordsOf)
  const columns = columnsOf(header ? [header, ...rows] : rows)
  const named = (meaning: Meaning) =>
    columns.filter((column) => MEANINGS.get(titles[column] ?? '') === meaning)
  const guessed: ColumnMeaning[] = columns.map(() => null)
  const give = (column: number | undefined, meaning: ColumnMeaning) => {
    if (column !== undefined) guessed[column] ??= meaning
  }
  for (const { key, label } of fields) {
    const column = titles.findIndex((title) => title !== '' && [wordsOf(key), wordsOf(label)].includes(title))
    give(column === -1 ? undefined : column, { field: key })
  }
  const phones = named('phone')
  const phone = findPhoneColumn(phones, rows, defaultCountry) ?? phones[0]
  give(phone ?? findPhoneColumn(columns, rows, defaultCountry), 'phone')
  for (const meaning of ['name', 'note', 'tags'] as const) give(named(meaning)[0], meaning)
  if (!guessed.includes('name')) give(findNameColumn(columns, titles, rows, guessed), 'name')
  return guessed
}

const columnsOf = (rows: string[][]) => [...Array(Math.max(0, ...rows.map((cells) => cells.length))).keys()]

/** Damaged numbers show the column as well. */
function isPhone(cell: string, country: CountryCode): boolean {
  const phone = readPhoneCell(cell, country)
  return 'number' in phone || !['missing', 'unreadable'].includes(phone.fault)
}

/** Returns the column with the most phone numbers, if they are more than half of its cells. */
function findPhoneColumn(columns: number[], rows: string[][], country: CountryCode): number | undefined {
  return findColumn(columns, rows, (cell) => isPhone(cell, country))
}

/** Without a header, the first column of words is likely to be the name. */
function findNameColumn(
  columns: number[],
  titles: string[],
  rows: string[][],
  guessed: ColumnMeaning[],
): number | undefined {
  if (titles.length > 0) return undefined
  const [first] = columns.filter(
    (column) =>
      guessed[column] === null &&
      findColumn([column], rows, (cell) => /^[\p{L}\p{M} .'’-]{2,60}$/u.test(cell)) === column,
  )
  return first
}

function findColumn(
  columns: number[],
  rows: string[][],
  matches: (cell: string) => boolean,
): number | undefined {
  const counts = columns.map((column) => {
    const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '')
    return { column, cells: cells.length, matching: cells.filter(matches).length }
  })
  const [best] = counts
    .filter(({ cells, matching }) => matching > cells / 2)
    .sort((one, other) => other.matching - one.matching)
  return best?.column
}
