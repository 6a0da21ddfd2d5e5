import { parseText, type TextPart } from '@sendroom/contract/personal-text'

/** Private characters around a variable, so that the parser of WhatsApp's formatting takes it as text. */
const BEGIN = '\ue000'
const END = '\ue001'
const MARK = new RegExp(`${BEGIN}([^${END}]*)${END}`, 'g')

const plain = (text: string) => text.replaceAll(BEGIN, '').replaceAll(END, '')

/** A text whose variables are marked for `splitMarks`. */
export const markVariables = (text: string): string => parseText(plain(text)).parts.map(written).join('')

const written = (part: TextPart) => (typeof part === 'string' ? part : `${BEGIN}${part.key}${END}`)

/** Splits a text at its marks: every second piece is the key of a variable. */
export const splitMarks = (text: string): string[] => text.split(MARK)
