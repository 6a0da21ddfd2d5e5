import type { FastifyInstance } from 'fastify'
import { Refusal } from './refusal.ts'

/** Our bodies nest three levels deep. */
const MAX_DEPTH = 16
/** As many as the recipients of the largest job, and some more. */
const MAX_COMMAS = 110_000
/** Providers report a group of a thousand members with a few keys for each. */
const MAX_COLONS = 20_000

/**
 * Parses JSON bodies. Accepts requests without a body, which Fastify refuses: clients send calls such as restart like
 * this. Refuses nested and countless values before they are parsed, because parsing six megabytes of brackets or of
 * short keys takes up to a second.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString()
    if (text.length === 0) done(null, undefined)
    else if (isTooComplex(text)) done(new Refusal('too_large'), undefined)
    else parse(request, text, done)
  })
}

const sign = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COMMA, COLON] = [sign('"'), sign('\\'), sign(','), sign(':')]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [sign('['), sign(']'), sign('{'), sign('}')]

/** Whether a JSON text has too many levels, values or keys. Texts that are no JSON are left to the parser. */
export function isTooComplex(text: string): boolean {
  let [depth, commas, colons] = [0, 0, 0]
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInString = !isInString
    else if (isInString) at += code === BACKSLASH ? 1 : 0
    else if (code === LIST || code === OBJECT) depth++
    else if (code === LIST_END || code === OBJECT_END) depth--
    else if (code === COMMA) commas++
    else if (code === COLON) colons++
    if (depth > MAX_DEPTH || commas > MAX_COMMAS || colons > MAX_COLONS) return true
  }
  return false
}
