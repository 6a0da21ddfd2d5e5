import { refuse } from './refusal.ts'

/** The named fields of a request; every value still needs a check. */
export type Fields = Record<string, unknown>

/** Returns a JSON object, form or query as fields. Throws a 400 refusal for anything else. */
export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Buffer.isBuffer(value)) {
    throw refuse.parameters('a JSON object or a form is expected')
  }
  return value as Fields // any object can be read by name; each value is still unknown
}

/** Returns a text field, undefined if missing or null. Throws a 400 refusal for other types. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw refuse.parameters(`${name} should be string`)
  return value
}

/**
 * Returns a number field, undefined if missing. Queries and forms carry numbers as text, so text is accepted too.
 * Throws a 400 refusal if the value is not a number from `min` to `max`.
 */
export function numberOf(fields: Fields, name: string, min: number, max: number): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || !(number >= min && number <= max)) {
    throw refuse.parameters(`${name} should be a number from ${min} to ${max}`)
  }
  return number
}

/**
 * Returns a boolean field, undefined if missing. Queries carry the words `true` and `false`. Throws a 400 refusal for
 * anything else, 1 and 0 included, as the live API does.
 */
export function booleanOf(fields: Fields, name: string): boolean | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw refuse.parameters(`${name} should be boolean`)
}

/**
 * Returns the page that a list query asks for: `count` from 1 to 500 (default 100) and `offset` (default 0), the limits
 * of Whapi's OpenAPI file 1.8.7. Throws a 400 refusal outside these limits.
 */
export function pageOf(query: unknown): { count: number; offset: number } {
  const fields = fieldsOf(query)
  return {
    count: Math.trunc(numberOf(fields, 'count', 1, 500) ?? 100),
    offset: Math.trunc(numberOf(fields, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0),
  }
}
