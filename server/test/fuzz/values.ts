import * as fc from 'fast-check'
import type { Schema } from './operations.ts'

/** Values to use for a field of this name, such as the ids of existing rows. */
export type KnownValues = Record<string, fc.Arbitrary<unknown>>

/** Words that every JavaScript object knows. A look-up by a word from outside must not find them. */
export const oddWords = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

const oddInstants = [0, 1, 19, 20, 100, 200, 3000].map((n) => `2026-01-01T00:00:00.${'9'.repeat(n)}Z`)

/** Texts that have broken programs: zero bytes, halves of characters, invisible and bidirectional signs, code. */
const awkwardTexts = [
  '\0',
  'a\0b',
  '\ud83d',
  '\udc4d\ud83d',
  '\u202eabc\u202c',
  '\u200b\u2800',
  '👨‍👩‍👧‍👦'.repeat(20),
  'e\u0301'.repeat(50),
  'ﷺ'.repeat(30),
  'İIıi',
  '%_\\%',
  "'; drop table users; --",
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../etc/passwd',
  'http://127.0.0.1:1/',
  ...oddWords,
  ...oddInstants,
  '\r\n\r\nGET / HTTP/1.1',
  '=1+1',
  '1e400',
  '-0',
  'NaN',
  '٣',
]

/** Numbers at the limits of number types: 32 and 64 bits, safe integers, doubles. */
const awkwardNumbers = [
  0,
  -0,
  -1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  1e21,
  1e308,
  5e-324,
  -1e308,
]

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(...awkwardTexts),
  fc.integer({ min: 1, max: 5000 }).map((length) => 'x'.repeat(length)),
)

/** A JSON value of any type, nested or long, that no schema asks for. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...awkwardNumbers) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, '', [], {}, [[]], [null]) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map(nested) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((length) => Array(length).fill('x')) },
)

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Values that the schema allows, extremes included. A field with known values mostly has one of those. */
export function validValue(schema: Schema, known: KnownValues, name = ''): fc.Arbitrary<unknown> {
  const byName = known[name]
  if (byName)
    return fc.oneof({ weight: 9, arbitrary: byName }, { weight: 1, arbitrary: bySchema(schema, known, name) })
  return bySchema(schema, known, name)
}

function bySchema(schema: Schema, known: KnownValues, name: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => bySchema(one, known, name)))
  if (schema.type === 'object') return validObject(schema, known)
  if (schema.type === 'array') return validArray(schema, known, name)
  if (schema.type === 'string') return validText(schema)
  if (schema.type === 'integer' || schema.type === 'number') return validNumber(schema)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  return hostileValue
}

/** All required fields, and each other field or not. */
function validObject({ properties = {}, required = [] }: Schema, known: KnownValues) {
  const fields: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, schema] of Object.entries(properties)) fields[name] = validValue(schema, known, name)
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
}

function validArray(
  { items, prefixItems, minItems = 0, maxItems = 10 }: Schema,
  known: KnownValues,
  name: string,
) {
  if (prefixItems)
    return fc
      .tuple(...prefixItems.map((item) => bySchema(item, known, name)))
      .map((list) => list.toSorted(byNumber))
  const item = bySchema(items || {}, known, name)
  return fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, 5) })
}

/** A range has to begin with its lower end. */
const byNumber = (a: unknown, b: unknown) => Number(a) - Number(b)

/** Later years have more than four digits. */
const years = { min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }

function validText({ format, pattern, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  const texts: fc.Arbitrary<string>[] = []
  if (format === 'date-time') {
    const valid = fc.date(years).map((date) => date.toISOString())
    texts.push(
      fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...oddInstants) }),
    )
  }
  if (pattern) return fc.oneof(fc.stringMatching(new RegExp(pattern)), ...texts)
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength
  const longest = Math.min(maxLength, 4000)
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40), size: 'max' }),
    fc.constantFrom(...awkwardTexts.filter(fits), 'x'.repeat(longest)),
    fc.constant('x'.repeat(Math.max(minLength, 1))),
  )
}

function validNumber({
  type,
  minimum,
  exclusiveMinimum,
  maximum = 2 ** 53 - 1,
}: Schema): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum ?? 0) + 1
  const whole = fc.oneof(
    fc.integer({ min, max: Math.min(maximum, min + 20) }),
    fc.constantFrom(min, maximum),
    fc.maxSafeInteger().map((n) => Math.min(Math.max(n, min), maximum)),
  )
  return type === 'integer' ? whole : fc.oneof(whole, fc.double({ min, max: maximum, noNaN: true }))
}
