/** A part of a line. */
export type Piece =
  | string
  | { kind: 'bold' | 'italic' | 'strike'; pieces: Piece[] }
  | { kind: 'mono' | 'code'; text: string }
  | { kind: 'link'; text: string; href: string }

export type Line = { kind: 'text' | 'bullet' | 'quote'; pieces: Piece[] }

const MONO = '```(?!\\s*```)[\\s\\S]+?```'
const CODE = '`(?!\\s*`)[^`\\n]+`'
const MAIL = '[\\p{L}\\p{N}][\\w.+-]*@[\\w-]+(?:\\.[\\w-]+)+'
// Without http, only addresses with a common ending or a path count as links.
const HOST = '(?:[\\p{L}\\p{N}-]+\\.)+'
const PATH = '(?:[/?#][^\\s<>]*)'
const WEB = `(?:https?://[^\\s<>]+|www\\.[^\\s<>]+|${HOST}(?:com|net|org|vn|cn)(?![\\p{L}\\p{N}])${PATH}?|${HOST}\\p{L}{2,}${PATH})`
// Trailing punctuation and formatting markers are not part of a link.
const LINK = `(?<![\\p{L}\\p{N}@./-])(?:${MAIL}|${WEB})(?<=[^.,;:!?'")\\]}*_~\`])`
const WHOLE = new RegExp(`${MONO}|${CODE}|${LINK}`, 'giu')

const EMPHASIS = new Map<string, 'bold' | 'italic' | 'strike'>([
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
])

/**
 * Parses a text as WhatsApp does. A marker formats only with text on its inner side and no letter on its outer side.
 */
export const whatsAppLines = (text: string): Line[] => linesOf(text).map(readLine)

/** Splits a text into lines. A monospaced block stays in one line. */
function linesOf(text: string): string[] {
  const lines = ['']
  for (const part of text.split(new RegExp(`(${MONO}|\\n)`))) {
    if (part === '\n') lines.push('')
    else lines[lines.length - 1] += part
  }
  return lines
}

function readLine(line: string): Line {
  const [, mark = '', rest = line] = /^([>*-]) (?=\s*\S)([\s\S]*)$/.exec(line) ?? []
  return { kind: mark === '' ? 'text' : mark === '>' ? 'quote' : 'bullet', pieces: piecesOf(rest) }
}

/** A character, or a piece whose inside is not formatted. */
type Token = { text: string; piece?: Piece }

const piecesOf = (line: string): Piece[] => {
  const tokens = tokensOf(line)
  return emphasise(tokens, 0, tokens.length)
}

function tokensOf(line: string): Token[] {
  const tokens: Token[] = []
  const addPlain = (text: string) => tokens.push(...[...text].map((character) => ({ text: character })))
  let end = 0
  for (const { 0: text, index } of line.matchAll(WHOLE)) {
    addPlain(line.slice(end, index))
    end = index + text.length
    tokens.push({ text, piece: wholeOf(text) })
  }
  addPlain(line.slice(end))
  return tokens
}

function wholeOf(text: string): Piece {
  if (text.startsWith('```')) return { kind: 'mono', text: text.slice(3, -3) }
  if (text.startsWith('`')) return { kind: 'code', text: text.slice(1, -1) }
  return { kind: 'link', text, href: hrefOf(text) }
}

function hrefOf(link: string): string {
  if (/^https?:/i.test(link)) return link
  return /^[^/]+@/.test(link) ? `mailto:${link}` : `https://${link}`
}

function emphasise(tokens: Token[], from: number, to: number): Piece[] {
  const pieces: Piece[] = []
  const add = (piece: Piece) => {
    const last = pieces.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece
    else pieces.push(piece)
  }
  /** Markers without a closing one. Each is searched for only once, so that long texts stay fast. */
  const unclosed = new Set<string>()
  for (let at = from; at < to; at += 1) {
    const { text, piece } = tokens[at] as Token // `at` is within the range
    const kind = piece === undefined ? EMPHASIS.get(text) : undefined
    if (kind === undefined || unclosed.has(text) || !opens(tokens, at, to)) {
      add(piece ?? text)
      continue
    }
    const end = closing(tokens, at, to)
    if (end === -1) {
      unclosed.add(text)
      add(text)
    } else {
      add({ kind, pieces: emphasise(tokens, at + 1, end) })
      at = end
    }
  }
  return pieces
}

function opens(tokens: Token[], at: number, to: number): boolean {
  const next = at + 1 < to ? tokens[at + 1] : undefined
  return next !== undefined && !isBlank(next) && next.text !== tokens[at]?.text && !endsInWord(tokens[at - 1])
}

function closing(tokens: Token[], opening: number, to: number): number {
  const marker = tokens[opening]?.text
  for (let at = opening + 2; at < to; at += 1)
    if (tokens[at]?.text === marker && !isBlank(tokens[at - 1]) && !beginsWord(tokens[at + 1])) return at
  return -1
}

const isBlank = (token: Token | undefined) => token?.text.trim() === ''
const endsInWord = (token: Token | undefined) => /[\p{L}\p{N}\p{M}]$/u.test(token?.text ?? '')
const beginsWord = (token: Token | undefined) => /^[\p{L}\p{N}\p{M}]/u.test(token?.text ?? '')
