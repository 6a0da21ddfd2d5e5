import pg from 'pg'
import sqlTag, { join, raw, Sql } from 'sql-template-tag'

/** A query or a part of one, with its parameters. Parts nest: `` sql`select ${columns} from jobs` ``. */
export { join, raw, Sql }
export const sql: (strings: TemplateStringsArray, ...values: unknown[]) => Sql = sqlTag

/**
 * A value for a `jsonb` column, passed as text. The driver would turn a list into a PostgreSQL array. Half an emoji
 * becomes the replacement character, as in a text: PostgreSQL refuses JSON that has one.
 */
export const json = (value: unknown) =>
  sql`${value === null ? null : JSON.stringify(value, wellFormed)}::jsonb`

const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)

/** Quotes the name of a table, column or role. A dot separates two names: `table.column`. */
export const identifier = (name: string) => raw(name.split('.').map(pg.escapeIdentifier).join('.'))

/** `(columns) values (…)` for an insert, from one object with camelCase keys or from several with the same keys. */
export function values(rows: object | readonly object[]): Sql {
  const all = Array.isArray(rows) ? (rows as object[]) : [rows]
  const columns = Object.keys(all[0] ?? {})
  const tuples = all.map((row) => sql`(${join(columns.map((key) => row[key as keyof typeof row]))})`)
  return sql`(${join(columns.map(column))}) values ${join(tuples)}`
}

/** `column = …, …` for an update, from an object with camelCase keys. */
export const assignments = (row: object): Sql =>
  join(Object.entries(row).map(([key, value]) => sql`${column(key)} = ${value}`))

/** A moment as JSON has it (ISO 8601), within a value that PostgreSQL builds. */
export const asInstant = (at: Sql) => sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const column = (key: string) => identifier(toSnakeCase(key))

const toSnakeCase = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
