// How uploaded tables are read. This file does not import zod, so that the page does not load the schemas.

/** The encodings that a user can choose from. Windows-1258 is Vietnamese, gb18030 and big5 are Chinese. */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1258',
  'windows-1252',
  'gb18030',
  'big5',
] as const
export type Encoding = (typeof encodings)[number]

export const separators = [',', ';', '\t', '|'] as const
export type Separator = (typeof separators)[number]

/** The countries that a user can choose from, by ISO 3166. Numbers without + are read as theirs. */
export const countries = [
  ...[
    'VN',
    'CN',
    'TW',
    'HK',
    'SG',
    'MY',
    'TH',
    'KH',
    'LA',
    'MM',
    'PH',
    'ID',
    'JP',
    'KR',
    'IN',
    'AU',
    'NZ',
    'AE',
  ],
  ...[
    'US',
    'CA',
    'GB',
    'IE',
    'DE',
    'FR',
    'NL',
    'BE',
    'CH',
    'AT',
    'IT',
    'ES',
    'PL',
    'CZ',
    'SE',
    'RU',
    'BR',
    'MX',
  ],
]

/** How an import treats contacts that it knows: leave them, fill what they lack, or replace what the file has. */
export const knownModes = ['keep', 'fill', 'overwrite'] as const
export type KnownMode = (typeof knownModes)[number]

/**
 * Why a row was not imported, with the params of its text `IMPORT_PROBLEM.<code>`. `phone_lost_zero` and
 * `phone_renumbered` have the `likely` number, `value_invalid` the `field`, `twice` the `row` that came first.
 */
export const rowProblems = [
  'phone_missing',
  'phone_destroyed',
  'phone_lost_zero',
  'phone_renumbered',
  'phone_unreadable',
  'name_invalid',
  'note_too_long',
  'tags_invalid',
  'value_invalid',
  'cell_too_long',
  'cut_off',
  'twice',
] as const
export type RowProblemCode = (typeof rowProblems)[number]
