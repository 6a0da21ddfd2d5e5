import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canStandFor,
  escapeText,
  neededIn,
  parseText,
  renderText,
  type TextMistake,
  type TextPart,
  variablesIn,
} from './personal-text.ts'
import { valueWriter } from './value-writer.ts'

const known = new Set(['city', 'due_on'])
const of = (key: string, fallback: string | null = null) => ({ key, fallback })

//
test.each<[text: string, parts: TextPart[]]>([
  ['', []],
  ['Hello', ['Hello']],
  ['Hello {{name}}!', ['Hello ', of('name'), '!']],
  ['{{name}}{{city}}', [of('name'), of('city')]],
  ['{{ name }} {{ city | near you }}', [of('name'), ' ', of('city', 'near you')]],
  ['{{city|a|b}}', [of('city', 'a|b')]],
  ['{{city|a\nb}}', [of('city', 'a\nb')]],
  ['{{city|{a} }}', [of('city', '{a}')]],
  ['{{name}}}', [of('name'), '}']],
  ['a } b }} {c}', ['a } b }} {c}']],
  ['Write \\{{name}}', ['Write {{name}}']],
  ['\\\\{{name}}', ['\\{{name}}']],
  ['C:\\{x}', ['C:\\{x}']],
  ['\\{{{name}}', ['{{{name}}']],
  ['*{{name}}*, 👋🏽', ['*', of('name'), '*, 👋🏽']],
])('%j is read', (text, parts) => {
  expect(parseText(text, known)).toEqual({ parts, mistakes: [] })
})

//
test.each<[text: string, kind: TextMistake['kind'], wrong: string]>([
  ['{{naem}}', 'unknown', '{{naem}}'],
  ['{{}}', 'unknown', '{{}}'],
  ['{{Name}}', 'unknown', '{{Name}}'],
  ['{{__proto__}}', 'unknown', '{{__proto__}}'],
  ['{{{name}}}', 'unknown', '{{{name}}'],
  ['Hello {{name', 'unclosed', '{{name'],
  ['{{name} and {{name}}', 'unclosed', '{{name} and {{name}}'],
  ['{{name|}}', 'fallback', '{{name|}}'],
  ['{{name| \u200b}}', 'fallback', '{{name| \u200b}}'],
  ['{{name|\u202ea}}', 'fallback', '{{name|\u202ea}}'],
])('%j is a mistake: %s', (text, kind, wrong) => {
  expect(parseText(text, known).mistakes).toEqual([{ kind, text: wrong }])
})

test('keys are known without a list of them, as long as they can be keys', () => {
  expect(parseText('{{any}} {{Any}}').mistakes).toEqual([{ kind: 'unknown', text: '{{Any}}' }])
})

test('the variables of a text, and those that need a value', () => {
  const text = parseText('{{name}} {{city|x}} {{due_on|x}} {{due_on}} {{name}}')
  expect(variablesIn(text)).toEqual(['name', 'city', 'due_on'])
  expect(neededIn(text)).toEqual(['name', 'due_on'])
})

//
test.each([
  ['Hi {{name}}', { name: 'Lan' }, {}, 'Hi Lan', []],
  ['Hi {{name|you}}', {}, {}, 'Hi you', []],
  ['Hi {{name|you}}', { name: ' ' }, { name: 'all' }, 'Hi you', []],
  ['Hi {{name}}', {}, { name: 'all' }, 'Hi all', []],
  ['Hi {{name}}', { name: '' }, { name: ' ' }, null, ['name']],
  ['Hi {{name}}', { name: '\u200b' }, {}, null, ['name']],
  ['Hi {{name}} in {{city}}, {{city}}', {}, {}, null, ['name', 'city']],
  ['Hi {{constructor}}', {}, {}, null, ['constructor']],
  // Such a value can't be saved.
  ['Hi {{name}}', { name: '{{city}}' }, {}, null, ['name']],
  ['Hi {{name}}', { name: '\u202eLan' }, {}, null, ['name']],
])('%j for %j', (text, values, fallbacks, expected, missing) => {
  const rendered = renderText(parseText(text).parts, new Map(Object.entries(values)), fallbacks)
  expect(rendered.missing).toEqual(missing)
  if (expected !== null) expect(rendered.text).toBe(expected)
})

//
test.each([
  ['VN', 'date', '2026-01-31', '31/01/2026'],
  ['VN', 'number', '1250000.5', '1.250.000,5'],
  ['VN', 'number', '2026', '2026'],
  ['VN', 'yesNo', 'true', 'có'],
  ['US', 'date', '2026-01-31', '01/31/2026'],
  ['US', 'yesNo', 'false', 'no'],
  ['CN', 'yesNo', 'true', '是'],
  ['EG', 'date', '2026-01-31', '31/01/2026'],
  ['TH', 'date', '2026-01-31', '31/01/2026'],
  ['DE', 'number', '-0.25', '-0,25'],
  ['VN', 'text', '2026-01-31', '2026-01-31'],
  ['VN', 'choice', 'true', 'true'],
] as const)('in %s a %s %s is written %s', (country, type, value, expected) => {
  expect(valueWriter(country)(type, value)).toBe(expected)
})

const part = fc.constantFrom(
  '{',
  '}',
  '\\',
  '|',
  'name',
  'city',
  'a',
  ' ',
  '\n',
  '{{',
  '}}',
  '👩‍👩‍👧',
  'مريم',
  'Nguyễn',
  '\u200f',
)
const anyText = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))

test('an escaped text is read as it was', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(parseText(escapeText(text))).toEqual({ parts: text === '' ? [] : [text], mistakes: [] })
    }),
  )
})

describe('an independent renderer', () => {
  /** Goes through the text sign by sign. */
  function renderBySigns(text: string, values: Record<string, string>): string | null {
    let rest = text
    let written = ''
    while (rest !== '') {
      if (rest.startsWith('\\{{')) {
        written += '{{'
        rest = rest.slice(3)
      } else if (rest.startsWith('{{')) {
        const end = rest.indexOf('}}')
        const inner = rest.slice(2, end)
        if (end === -1 || inner.includes('{{')) return null
        const [key = '', ...others] = inner.split('|')
        const fallback = others.length > 0 ? others.join('|').trim() : undefined
        if (!['name', 'city'].includes(key.trim())) return null
        if (fallback !== undefined && !canStandFor(fallback)) return null
        const shown = values[key.trim()] ?? fallback
        if (shown === undefined) return null
        written += shown
        rest = rest.slice(end + 2)
      } else {
        written += rest[0]
        rest = rest.slice(1)
      }
    }
    return written
  }

  //
  test('writes the same 10,000 texts', () => {
    const whole = fc.constantFrom(
      '{{name}}',
      '{{city|x}}',
      '{{ name | bạn }}',
      '{{city}}',
      '\\{{name}}',
      '\\',
    )
    const text = fc.array(fc.oneof({ weight: 3, arbitrary: whole }, { weight: 2, arbitrary: part }), {
      maxLength: 12,
    })
    const value = fc
      .oneof(
        fc.constantFrom('Lan', 'مريم', 'שרה\nכהן', '👩‍👩‍👧 An', '{x}', '$& $1', '\\', '*b*', 'a|b', '}', '{'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      )
      .filter(canStandFor)
    const values = fc.record({ name: value, city: value }, { requiredKeys: [] })
    const seen = { written: 0, refused: 0 }
    fc.assert(
      fc.property(text, values, (parts, contact) => {
        const template = parts.join('')
        const { parts: read, mistakes } = parseText(template, new Set(['city']))
        const { text, missing } = renderText(read, new Map(Object.entries(contact)))
        const rendered = mistakes.length > 0 || missing.length > 0 ? null : text
        expect(rendered).toBe(renderBySigns(template, contact))
        seen[rendered === null ? 'refused' : 'written']++
      }),
      { numRuns: 20_000 },
    )
    expect(seen.written).toBeGreaterThan(10_000)
  })
})
