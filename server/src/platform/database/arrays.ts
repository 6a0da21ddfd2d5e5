/**
 * PostgreSQL's arrays, as one-dimensional lists. The driver would ask the database for their types on its first
 * connections, and nobody catches its question when such a connection dies: a database killed in this moment would
 * end our process too. Types of PostgreSQL itself have the same numbers everywhere; what is not listed comes as text.
 */
export const arrayTypes = {
  booleans: arrayType(1000, (text) => text === 't'),
  ints: arrayType(1007, Number),
  texts: arrayType(1009, String),
  bigints: arrayType(1016, Number),
  instants: arrayType(1185, (text) => new Date(text).toISOString()),
  uuids: arrayType(2951, String),
}

function arrayType<T>(oid: number, read: (text: string) => T) {
  return {
    to: oid,
    from: [oid],
    serialize: (items: unknown) => (Array.isArray(items) ? `{${items.map(literal).join(',')}}` : items),
    parse: (text: string) => elements(text).map((element) => (element === null ? null : read(element))),
  }
}

function literal(item: unknown): string {
  if (item === null) return 'null'
  const text = item instanceof Date ? item.toISOString() : String(item)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Of '{a,"b \"c\"",NULL}': a quoted element may hold anything, a bare NULL is none. */
const elements = (text: string) =>
  [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/gs)].map(([bare, quoted]) =>
    quoted === undefined ? (bare === 'NULL' ? null : bare) : quoted.replace(/\\(.)/gs, '$1'),
  )
