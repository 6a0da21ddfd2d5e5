/*
 * The texts of messages with variables: `{{name}}` and `{{key}}` stand for what a contact has, `{{key|fallback}}` for
 * the fallback if the contact has nothing there. `\{{` is no variable but these two braces. Server, preview and editor
 * read and write texts by this file, so that all of them show what is sent.
 */

/** The variable that needs no field. */
export const NAME = 'name'

export type Variable = { key: string; fallback: string | null }
export type TextPart = string | Variable

/** Why a text can't be sent. `text` is the part that is wrong. */
export type TextMistake = {
  kind: 'unclosed' | 'unknown' | 'fallback'
  text: string
}

export type PersonalText = { parts: TextPart[]; mistakes: TextMistake[] }

/** The inside of a variable has no double braces, so an unclosed one is read once only, however many there are. */
const TOKEN = /\\\{\{|\{\{((?:(?!\{\{|\}\})[\s\S])*)\}\}|\{\{/gu
const KEY = /^[a-z][a-z0-9_]*$/
const MISTAKE_LENGTH = 40

/**
 * Reads a text. A variable is unknown unless it is the name or one of `keys`. Without `keys` each possible key counts
 * as known.
 */
export function parseText(text: string, keys?: ReadonlySet<string>): PersonalText {
  const parts: TextPart[] = []
  const mistakes: TextMistake[] = []
  const addText = (more: string) => {
    if (typeof parts.at(-1) === 'string') parts[parts.length - 1] += more
    else if (more !== '') parts.push(more)
  }
  let end = 0
  for (const { 0: token, 1: inside, index } of text.matchAll(TOKEN)) {
    addText(text.slice(end, index))
    end = index + token.length
    if (token.startsWith('\\')) addText('{{')
    else {
      const read = inside === undefined ? 'unclosed' : readVariable(inside, keys)
      if (typeof read !== 'string') parts.push(read)
      else {
        const wrong = read === 'unclosed' ? text.slice(index) : token
        mistakes.push({ kind: read, text: [...wrong].slice(0, MISTAKE_LENGTH).join('') })
        addText(token)
      }
    }
  }
  addText(text.slice(end))
  return { parts, mistakes }
}

function readVariable(inside: string, keys?: ReadonlySet<string>): Variable | TextMistake['kind'] {
  const bar = inside.indexOf('|')
  const key = (bar === -1 ? inside : inside.slice(0, bar)).trim()
  const fallback = bar === -1 ? null : inside.slice(bar + 1).trim()
  if (!KEY.test(key) || (keys && key !== NAME && !keys.has(key))) return 'unknown'
  return fallback !== null && !canStandFor(fallback) ? 'fallback' : { key, fallback }
}

/** Writes braces so that `parseText` reads them as they are. */
export const escapeText = (text: string): string => text.replaceAll('{{', '\\{{')

/** The keys of the variables in a text, each once. */
export const variablesIn = ({ parts }: Pick<PersonalText, 'parts'>): string[] => [
  ...new Set(parts.filter((part) => typeof part !== 'string').map(({ key }) => key)),
]

/** The keys of which a contact needs a value, because the text has no fallback everywhere. */
export const neededIn = ({ parts }: Pick<PersonalText, 'parts'>): string[] =>
  variablesIn({ parts: parts.filter((part) => typeof part !== 'string' && part.fallback === null) })

export type Rendered = { text: string; missing: string[] }

/**
 * Writes a text for one contact. `missing` has the keys without a value and without a fallback; unless it is empty the
 * text must not be sent. A fallback in the text goes before one in `fallbacks`, which holds for all of its key.
 */
export function renderText(
  parts: readonly TextPart[],
  values: ReadonlyMap<string, string>,
  fallbacks: Readonly<Record<string, string>> = {},
): Rendered {
  const missing = new Set<string>()
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    const value = values.get(part.key) ?? ''
    if (canStandFor(value)) return value
    const fallback = part.fallback ?? (Object.hasOwn(fallbacks, part.key) ? fallbacks[part.key] : undefined)
    if (fallback !== undefined && canStandFor(fallback)) return fallback
    missing.add(part.key)
    return ''
  })
  return { text: texts.join(''), missing: [...missing] }
}

/**
 * Control and bidirectional characters, and double braces, which mark variables. Values are inserted into texts of
 * messages, where they must neither look like variables nor turn the text around.
 */
const UNFIT = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\{\{|\}\}/u

/** Whether a text may be inserted into messages. */
export const isInsertable = (text: string) => !UNFIT.test(text)

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether somebody who reads the text in the place of a variable sees something, and no sign that does not belong. */
export const canStandFor = (text: string) => VISIBLE.test(text) && isInsertable(text)
