import * as fc from 'fast-check'
import { hostileValue, oddWords } from './values.ts'

export type Payload = { headers: Record<string, string>; bytes: Buffer }

const JSON_TYPE = 'application/json'
const asJson = (text: string, type = JSON_TYPE): Payload => ({
  headers: { 'content-type': type },
  bytes: Buffer.from(text),
})

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A JSON body: mostly valid, else with one wrong field, without a field, with another field, or no such JSON at all.
 */
export function jsonBody(valid: fc.Arbitrary<unknown>, fields: string[]): fc.Arbitrary<Payload> {
  const names = [...fields, ...oddWords, 'isAdmin']
  const asText = valid.map((body) => JSON.stringify(body))
  const withWrongField = fc
    .tuple(asText, fc.constantFrom(...names), hostileValue)
    .map(([text, name, value]) => addField(text, name, value))
  const withoutField = fc
    .tuple(valid, fc.constantFrom(...names))
    .map(([body, name]) =>
      JSON.stringify(
        isFields(body) ? Object.fromEntries(Object.entries(body).filter(([n]) => n !== name)) : body,
      ),
    )
  return fc.oneof(
    { weight: 16, arbitrary: asText.map((text) => asJson(text)) },
    { weight: 3, arbitrary: withWrongField.map((text) => asJson(text)) },
    { weight: 1, arbitrary: withoutField.map((text) => asJson(text)) },
    { weight: 1, arbitrary: hostileValue.map((value) => asJson(JSON.stringify(value))) },
    {
      weight: 1,
      arbitrary: fc.tuple(asText, fc.constantFrom(...breakages)).map(([text, damage]) => damage(text)),
    },
  )
}

/**
 * Adds a field at the end, because the last one of repeated keys counts. As text, so that `__proto__` is a key as well.
 */
const addField = (text: string, name: string, value: unknown) =>
  text.startsWith('{')
    ? `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}`
    : text

/** Bodies that are no JSON of ours: cut off, repeated, nested, of another type or encoding, or too large. */
const breakages: ((text: string) => Payload)[] = [
  (text) => asJson(text.slice(0, text.length / 2)),
  (text) => asJson(`${text}${text}`),
  (text) => asJson(text.replace('{', '{"a":1,"a":2,"a":3,')),
  (text) => asJson(text.replace(/:\s*(\d+|"[^"]*")/, ':1e400')),
  (text) => asJson(text.replace(/:\s*(\d+|"[^"]*")/, ':-99999999999999999999999999999999999')),
  (text) =>
    asJson(text.replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"role":"Admin"}},')),
  () => asJson(`${'['.repeat(5000)}${']'.repeat(5000)}`),
  () => asJson(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`),
  () => asJson(`[${'0,'.repeat(120_000)}0]`),
  (text) => asJson(`\ufeff${text}`),
  (text) => asJson(text, 'application/json; charset=utf-16'),
  (text) => asJson(text, 'text/plain'),
  (text) => asJson(text, 'application/x-www-form-urlencoded'),
  (text) => asJson(text, 'application/xml'),
  (text) => asJson(text, ''),
  () => asJson(''),
  () => asJson('null'),
  () => ({ headers: { 'content-type': JSON_TYPE }, bytes: Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]) }),
  () => asJson(JSON.stringify({ textContent: 'x'.repeat(300_000) })),
]

const BOUNDARY = 'fuzz-boundary'
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A form with valid fields, with or without a picture, mostly well-formed. */
export function formBody(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Payload> {
  return fc.tuple(valid, fc.oneof(...files.map((file) => fc.constant(file)))).chain(([body, file]) => {
    const bytes = formOf(isFields(body) ? body : {}, file)
    const wellFormed = fc.constant({ headers: { 'content-type': FORM_TYPE }, bytes })
    const damaged = fc.constantFrom(...damages).map((damage) => damage(bytes))
    return fc.oneof({ weight: 5, arbitrary: wellFormed }, { weight: 1, arbitrary: damaged })
  })
}

type File = { field: string; bytes: Buffer } | null
const files: File[] = [
  null,
  null,
  { field: 'imageFile', bytes: PNG },
  { field: 'imageFile', bytes: PNG },
  { field: 'imageFile', bytes: PNG.subarray(0, 40) },
  { field: 'imageFile', bytes: Buffer.alloc(0) },
  {
    field: 'imageFile',
    bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
  },
  { field: 'imageFile', bytes: Buffer.from('GIF89a\xff\xff\xff\xff\xf7', 'latin1') },
  { field: 'otherFile', bytes: PNG },
  { field: '__proto__', bytes: PNG },
]

/** Lists become repeated fields, as browsers send them. */
function formOf(fields: Fields, file: File): Buffer {
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((item) => part(`form-data; name="${name}"`, Buffer.from(String(item ?? '')))),
  )
  const disposition = `form-data; name="${file?.field}"; filename="a\u202e.png"\r\nContent-Type: image/png`
  const picture = file ? [part(disposition, file.bytes)] : []
  return Buffer.concat([...texts, ...picture, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

const part = (disposition: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])

const asForm = (bytes: Buffer, type = FORM_TYPE): Payload => ({ headers: { 'content-type': type }, bytes })

const damages: ((bytes: Buffer) => Payload)[] = [
  (bytes) => asForm(bytes.subarray(0, bytes.length / 2)),
  (bytes) => asForm(bytes.subarray(0, -BOUNDARY.length)),
  (bytes) => asForm(bytes, 'multipart/form-data'),
  (bytes) => asForm(bytes, 'multipart/form-data; boundary='),
  (bytes) => asForm(bytes, 'multipart/form-data; boundary=other'),
  (bytes) => asForm(bytes, `multipart/form-data; boundary="${'x'.repeat(300)}"`),
  (bytes) => asForm(bytes, `multipart/mixed; boundary=${BOUNDARY}`),
  () => asForm(Buffer.alloc(0)),
  () => asForm(Buffer.from(`--${BOUNDARY}--\r\n`)),
  () => asForm(Buffer.from(`--${BOUNDARY}\r\n\r\n\r\n`)),
  () =>
    asForm(
      Buffer.concat([part(`form-data; name="__proto__"`, Buffer.from('x')), Buffer.from(`--${BOUNDARY}--`)]),
    ),
  () => asForm(Buffer.concat([part('form-data', Buffer.from('no name')), Buffer.from(`--${BOUNDARY}--`)])),
  () =>
    asForm(
      Buffer.concat([part(`form-data; name="${'n'.repeat(20_000)}"`, PNG), Buffer.from(`--${BOUNDARY}--`)]),
    ),
  (bytes) => asForm(Buffer.concat([bytes, bytes])),
  (bytes) => asForm(Buffer.concat([Buffer.alloc(2000, 0xff), bytes])),
  () =>
    asForm(
      Buffer.concat([
        ...Array.from({ length: 300 }, (_, n) => part(`form-data; name="f${n}"`, Buffer.from('x'))),
        Buffer.from(`--${BOUNDARY}--`),
      ]),
    ),
  () =>
    asForm(
      Buffer.concat([
        part('form-data; name="imageFile"; filename="a"', Buffer.alloc(6 * 1024 * 1024)),
        Buffer.from(`--${BOUNDARY}--`),
      ]),
    ),
]
