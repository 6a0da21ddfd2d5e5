import type { FastifyInstance, FastifyRequest } from 'fastify'
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
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { bodyLimit } = request.routeOptions
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return done(new Refusal('too_large'))
    readText(payload, bodyLimit).then(
      (text) => {
        if (text === '') done(null, undefined)
        else parse(request, text, done)
      },
      // Any other error says that the client has left.
      (error) => done(error instanceof Refusal ? error : new Refusal('invalid_input')),
    )
  })
}

/** Parses a field of a form that has the whole body, with the rules for bodies. */
export function parseJsonField(request: FastifyRequest, text: string): Promise<unknown> {
  if (watchComplexity()(Buffer.from(text))) throw new Refusal('too_large')
  const parse = request.server.getDefaultJsonParser('error', 'error')
  return new Promise((resolve, reject) => {
    parse(request, text, (error, body) => (error ? reject(new Refusal('invalid_input')) : resolve(body)))
  })
}

/**
 * Reads a body to its end, so that the client gets its answer. Keeps nothing of a body that it refuses, because many of
 * them would fill the memory with garbage.
 */
async function readText(payload: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const isTooComplex = watchComplexity()
  let [chunks, bytes, isRefused]: [Buffer[], number, boolean] = [[], 0, false]
  for await (const chunk of payload) {
    bytes += chunk.length
    isRefused ||= bytes > maxBytes || isTooComplex(chunk)
    if (isRefused) chunks = []
    else chunks.push(chunk)
  }
  if (isRefused) throw new Refusal('too_large')
  return Buffer.concat(chunks).toString()
}

const sign = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COMMA, COLON] = [sign('"'), sign('\\'), sign(','), sign(':')]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [sign('['), sign(']'), sign('{'), sign('}')]

/**
 * Returns a function that takes the parts of a JSON text in their order, and tells as soon as the text has too many
 * levels, values or keys. In UTF-8 no other character contains the byte of one of these signs. Texts that are no JSON
 * are left to the parser.
 */
export function watchComplexity(): (part: Buffer) => boolean {
  let [depth, commas, colons] = [0, 0, 0]
  let [isInString, isEscaped] = [false, false]

  /** Returns where the string ends that has begun before, or the length of the part. */
  function endOfString(part: Buffer, from: number): number {
    let at = from
    for (; at < part.length; at++) {
      if (isEscaped) isEscaped = false
      else if (part[at] === QUOTE) return at
      else isEscaped = part[at] === BACKSLASH
    }
    return at
  }

  return (part) => {
    for (let at = 0; at < part.length; at++) {
      if (isInString) {
        at = endOfString(part, at)
        isInString = at === part.length
        continue
      }
      const code = part[at]
      if (code === QUOTE) isInString = true
      else if (code === LIST || code === OBJECT) depth++
      else if (code === LIST_END || code === OBJECT_END) depth--
      else if (code === COMMA) commas++
      else if (code === COLON) colons++
      if (depth > MAX_DEPTH || commas > MAX_COMMAS || colons > MAX_COLONS) return true
    }
    return false
  }
}
