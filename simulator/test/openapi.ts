import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import type { Body } from './client.ts'

// Whapi's OpenAPI file is not ours to publish. Tests that need it run only where shared/ lies beside the checkout.
const file = path.resolve(import.meta.dirname, '../../..', 'shared', 'whapi-openapi.yaml')
export const isPresent = existsSync(file)
const api: Body = isPresent ? readApi() : undefined
const ajv = new Ajv({ strict: false, validateFormats: false })
if (isPresent) ajv.addSchema(api, 'api')

function readApi() {
  const read = parse(readFileSync(file, 'utf8'))
  const { schemas } = read.components
  // The live API also gives hidden numbers (`…@lid`) as participants.
  schemas.ContactID.pattern = '^([\\d]{7,15})?(@lid|@s.whatsapp.net)?$'
  // The file has mistakes: these schemas require names that their properties do not define.
  schemas.ResponseSuccess.required = ['success']
  schemas.MediaFile.required = ['id', 'mime_type', 'file_size', 'timestamp']
  // Each of the four alternatives of `media` is any text, so `oneOf` would never be true.
  schemas.SendMedia.properties.media = { type: 'string' }
  return read
}

/** Returns what is wrong with a value by a schema of the file, such as `WebhookPayload`. Empty if nothing is. */
export const schemaErrors = (name: string, value: unknown) =>
  errorsOf({ $ref: `#/components/schemas/${name}` }, value)

/** Returns what is wrong with the body of an answer. `route` is the path as the OpenAPI file writes it. */
export function answerErrors(verb: string, route: string, { status, body }: { status: number; body: Body }) {
  const answer = resolve(api.paths[route][verb].responses[status])
  return errorsOf(answer.content['application/json'].schema, body)
}

/** Returns the statuses that the file documents for a call. */
export const statusesOf = (verb: string, route: string): number[] =>
  Object.keys(api.paths[route][verb].responses).map(Number)

/**
 * Returns what is wrong with a request: its path, method, content type, required fields, types, patterns, and fields
 * that the file does not know. Empty if nothing is.
 */
export function requestErrors(verb: string, url: string, contentType: string, body: unknown): string[] {
  const [pathname = '', query = ''] = url.split('?')
  const route = Object.keys(api.paths)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .find((one) => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(decodeURIComponent(pathname)))
  const call = route && api.paths[route][verb]
  if (!call) return [`no such call: ${verb} ${pathname}`]
  const parameters = [...new URLSearchParams(query).keys()]
  const known = (call.parameters ?? []).map((parameter: Body) => resolve(parameter).name)
  const errors = parameters.filter((name) => !known.includes(name)).map((name) => `unknown parameter ${name}`)
  if (!call.requestBody) return errors
  const { content } = resolve(call.requestBody)
  const type = contentType.split(';')[0] ?? ''
  if (!content[type]) return [...errors, `content type ${type}`]
  if (type !== 'application/json') return errors
  const { schema } = content[type]
  const names = propertiesOf(schema)
  const unknown = Object.keys(body as object).filter((name) => !names.has(name)) // every JSON body is an object
  return [...errors, ...unknown.map((name) => `unknown field ${name}`), ...errorsOf(schema, body).map(String)]
}

function propertiesOf(node: Body): Set<string> {
  const { properties = {}, allOf = [], oneOf = [], anyOf = [] } = resolve(node)
  const parts = [...allOf, ...oneOf, ...anyOf].flatMap((part: Body) => [...propertiesOf(part)])
  return new Set([...Object.keys(properties), ...parts])
}

function errorsOf(schema: Body, value: unknown) {
  const validate = ajv.compile(absolute(schema))
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function resolve(node: Body): Body {
  const reference: string | undefined = node.$ref
  if (!reference) return node
  return resolve(
    reference
      .slice(2)
      .split('/')
      .reduce((value, name) => value[name], api),
  )
}

function absolute(schema: Body): Body {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === '$ref' ? `api${value}` : value))
}
