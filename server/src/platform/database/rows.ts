import pg from 'pg'

const { builtins } = pg.types
type Parser = (text: string) => unknown

/** JavaScript takes the years up to 99 of PostgreSQL's form for those of another century, or for none. */
const toIso = (text: string) =>
  new Date(text.startsWith('00') ? text.replace(' ', 'T').replace('+00', 'Z') : text).toISOString()
const asText = (text: string) => text
const TEXT_ARRAY: number = 1009
const parseTexts: (text: string) => (string | null)[] = pg.types.getTypeParser(TEXT_ARRAY)
const arrayOf = (parse: Parser) => (text: string) =>
  parseTexts(text).map((element) => (element === null ? null : parse(element)))

/** The parsers that differ from the driver's. The numbers of the array types come from PostgreSQL's pg_type.dat. */
const parsers: Record<number, Parser> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.TIMESTAMPTZ]: toIso,
  [builtins.DATE]: asText,
  1016: arrayOf(Number), // int8[]
  1185: arrayOf(toIso), // timestamptz[]
}

/** Parses `bigint` and `numeric` to numbers, `timestamptz` to '2026-01-01T00:00:00.000Z', `date` to '2026-01-01'. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format),
}

/** Turns rows into objects with camelCase keys. Keys inside a `jsonb` value stay as they are. */
export function toObjects({ rows, fields }: pg.QueryArrayResult): unknown[] {
  const keys = fields.map(({ name }) => toCamelCase(name))
  return rows.map((row) => {
    const object: Record<string, unknown> = {}
    for (let index = 0; index < keys.length; index++) object[keys[index] as string] = row[index]
    return object
  })
}

const camelCase = new Map<string, string>()

function toCamelCase(name: string): string {
  const known = camelCase.get(name)
  if (known !== undefined) return known
  const key = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  camelCase.set(name, key)
  return key
}
