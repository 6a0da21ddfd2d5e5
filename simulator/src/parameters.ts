import { refuse } from './refusal.ts'

export type Fields = Record<string, unknown>

/** A JSON object, form or query as named fields; refuses anything else. */
export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Buffer.isBuffer(value)) {
    throw refuse.parameters('a JSON object or a form is expected')
  }
  return value as Fields // any object can be read by name; each value is still unknown
}

/** A text, undefined when left out. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw refuse.parameters(`${name} should be string`)
  return value
}

/** A number within [min, max], written as number or as text (query and form). */
export function numberOf(fields: Fields, name: string, min: number, max: number): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || !(number >= min && number <= max)) {
    throw refuse.parameters(`${name} should be a number from ${min} to ${max}`)
  }
  return number
}

/** The words `true` and `false`; 1 and 0 are refused in a query, as by the provider. */
export function booleanOf(fields: Fields, name: string): boolean | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw refuse.parameters(`${name} should be boolean`)
}

/** `count` 1..500 (default 100) and `offset`, as every list takes them. */
export function pageOf(query: unknown): { count: number; offset: number } {
  const fields = fieldsOf(query)
  return {
    count: Math.trunc(numberOf(fields, 'count', 1, 500) ?? 100),
    offset: Math.trunc(numberOf(fields, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0),
  }
}
