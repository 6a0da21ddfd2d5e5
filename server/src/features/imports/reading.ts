import type { ErrorCode, Params } from '@sendroom/contract/errors'
import type { Reading, ReadingChange } from '@sendroom/contract/imports'
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import type { TableSource } from '../../platform/table-file/source.ts'
import {
  previewTable,
  type TableChoices,
  type TableFormat,
  type TablePreview,
} from '../../platform/table-file/table-file.ts'
import { TableFileError } from '../../platform/table-file/table-file-error.ts'
import type { Recognised } from './imports.queries.ts'
import type { Field } from './read-row.ts'

/** Recognises how a file is to be read, as far as nobody has chosen. Refuses a file that can't be read. */
export async function recognise(
  source: TableSource,
  { columns, country, ...choices }: ReadingChange,
  fields: readonly Field[],
): Promise<Recognised> {
  const preview = await previewFile(source, omitUndefined(choices), fields, countryOf(country))
  const { format, hasHeader, header, isGuess } = preview
  const width = Math.max(
    0,
    ...[header ?? [], ...preview.rows.map(({ cells }) => cells)].map((cells) => cells.length),
  )
  const reading: Reading = {
    kind: format.kind,
    encoding: format.kind === 'csv' ? format.encoding : null,
    separator: format.kind === 'csv' ? format.separator : null,
    sheet: format.kind === 'xlsx' ? format.sheet : null,
    hasHeader,
    columns: Array.from({ length: width }, (_, place) => (columns ?? preview.columns)[place] ?? null),
    country,
  }
  const fault = reading.columns.includes('phone') ? null : { code: 'no_phone_column', params: {} }
  return { reading, isGuess, header, fault }
}

/** Reads the first rows. Throws a refusal if the file can't be read. */
export const previewFile = (
  source: TableSource,
  choices: TableChoices,
  fields: readonly Field[],
  defaultCountry: CountryCode,
): Promise<TablePreview> =>
  previewTable(source, choices, {
    fields: fields.map(({ key, name }) => ({ key, label: name })),
    defaultCountry,
  }).catch((error) => {
    throw error instanceof TableFileError ? new Refusal(...refusalOf(error)) : error
  })

export function formatOf({ kind, encoding, separator, sheet }: Reading): TableFormat {
  if (kind === 'xlsx') return { kind, sheet: sheet ?? '' }
  return { kind, encoding: encoding ?? 'utf-8', separator: separator ?? ',' }
}

export function choicesOf({ encoding, separator, sheet, hasHeader }: Reading): TableChoices {
  return omitUndefined({
    encoding: encoding ?? undefined,
    separator: separator ?? undefined,
    sheet: sheet ?? undefined,
    hasHeader,
  })
}

export function countryOf(code: string): CountryCode {
  if (isSupportedCountry(code)) return code
  throw new InvalidInput({ country: 'IMPORT.COUNTRY_INVALID' })
}

const CODES = {
  empty: 'file_empty',
  unsupported: 'file_unsupported',
  damaged: 'file_damaged',
  unclosed_quote: 'file_unclosed_quote',
  no_such_sheet: 'file_no_such_sheet',
  too_large: 'file_unpacks_too_large',
  too_many_columns: 'file_too_many_columns',
  too_many_rows: 'file_too_many_rows',
} as const

export const refusalOf = ({ fault, row }: TableFileError): [ErrorCode, Params] => [
  CODES[fault],
  row === undefined ? {} : { row },
]
