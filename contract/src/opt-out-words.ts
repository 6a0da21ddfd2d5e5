import { z } from 'zod'
import { type Language, languages } from './languages.ts'
import { limits } from './limits.ts'
import { key } from './values.ts'

/*
 * The words that opt somebody out of all messages, or back in. Only a message that is exactly such a word acts at once.
 * One that may have meant it goes to a person: opting out somebody who only wrote *Đúng* (right) would lose a customer.
 */

const word = z
  .string()
  .trim()
  .min(1, key('OPT_OUT.WORD_INVALID'))
  .max(limits.optOutWord, key('OPT_OUT.WORD_INVALID'))
  .refine((text) => normalizeWords(text) !== '', key('OPT_OUT.WORD_INVALID'))
const list = z.array(word).max(limits.optOutWords, key('OPT_OUT.WORDS_TOO_MANY'))

const WordLists = z.object({
  /** A message that is exactly one of these opts its sender out. */
  stop: list.min(1, key('OPT_OUT.WORDS_REQUIRED')),
  /** A message that is exactly one of these opts its sender in again. */
  start: list,
  /** A message with one of these may be a complaint. */
  complaint: list,
})
export type WordLists = z.output<typeof WordLists>

/** The words of all languages count at the same time: a customer writes in their own. */
export const OptOutWords = z
  .object(
    Object.fromEntries(languages.map((language) => [language, WordLists])) as Record<
      Language,
      typeof WordLists
    >,
  )
  .meta({ id: 'OptOutWords' })
export type OptOutWords = z.output<typeof OptOutWords>

export const defaultOptOutWords: OptOutWords = {
  vi: {
    stop: [
      'dừng',
      'dừng lại',
      'dừng tin nhắn',
      'dừng nhắn tin',
      'ngừng',
      'ngừng nhắn tin',
      'ngưng',
      'từ chối',
      'TC',
      'hủy đăng ký',
      'huỷ đăng ký',
      'không nhận tin',
      'không nhận tin nữa',
    ],
    start: ['bắt đầu', 'nhận lại tin'],
    complaint: [
      'báo cáo',
      'bao cao',
      'chặn số',
      'lừa đảo',
      'lua dao',
      'làm phiền',
      'lam phien',
      'quấy rối',
      'quay roi',
      'đừng nhắn',
      'dung nhan',
      'đừng gửi',
      'dung gui',
    ],
  },
  en: {
    stop: ['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'optout', 'quit', 'no more messages'],
    start: ['start', 'unstop'],
    complaint: [
      'spam',
      'scam',
      'report you',
      'reported',
      'block you',
      'harassment',
      'leave me alone',
      'cancel',
    ],
  },
  cn: {
    stop: ['停止', '退订', '退訂', '取消订阅', '取消訂閱', '拒收', 'TD'],
    start: ['开始', '開始', '重新订阅', '重新訂閱'],
    complaint: [
      '举报',
      '舉報',
      '拉黑',
      '骚扰',
      '騷擾',
      '投诉',
      '投訴',
      '诈骗',
      '詐騙',
      '别发',
      '別發',
      '不要发',
      '不要發',
    ],
  },
}

/** Why a message may have meant an opt-out. `unknown_person`: it did, but nobody knows whose number it came from. */
export const possibleReasons = ['no_accents', 'contains', 'complaint', 'unknown_person'] as const
export type PossibleReason = (typeof possibleReasons)[number]

export type Meaning =
  | { kind: 'stop' }
  | { kind: 'start' }
  | { kind: 'possible'; why: Exclude<PossibleReason, 'unknown_person'> }

/** A longer message says more than that somebody wants no messages. */
const MAX_WORDS = 6
/** The beginning of a longer message is read for complaints. */
const MAX_LENGTH = 1000

/**
 * A text without what does not change its meaning: case, blanks, punctuation, emoji, full-width letters. Accents stay,
 * because *dừng* means stop and *dùng* means use.
 */
export const normalizeWords = (text: string): string =>
  text
    .slice(0, MAX_LENGTH)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Me}\p{Variation_Selector}]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

const withoutAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('đ', 'd')

/** The words by which messages are read; make them once for many messages. */
export type WordReader = (text: string) => Meaning | null

/**
 * Returns a function that tells what a private message means for the wish to get messages; null for nothing.
 *
 * - exactly a word of `stop` or `start`: that
 * - without accents, and a word of `stop` without its accents: possible, `no_accents`
 * - at most six words, and a word of `stop` among them: possible, `contains`
 * - a word of `complaint`: possible, `complaint`
 *
 * A pure function, in time linear to the length of the text.
 */
export function readerOf(words: OptOutWords): WordReader {
  const all = (kind: keyof WordLists) =>
    Object.values(words).flatMap((lists) => lists[kind].map(normalizeWords))
  const stop = new Set(all('stop'))
  const start = new Set(all('start'))
  const stopWithoutAccents = new Set([...stop].map(withoutAccents))
  const complaints = all('complaint')
  const complains = (said: string): Meaning | null =>
    complaints.some((word) => contains(said, word)) ? { kind: 'possible', why: 'complaint' } : null
  return (text) => {
    const said = normalizeWords(text)
    if (text.length > MAX_LENGTH) return complains(said)
    if (stop.has(said)) return { kind: 'stop' }
    if (start.has(said)) return { kind: 'start' }
    if (said === withoutAccents(said) && stopWithoutAccents.has(said))
      return { kind: 'possible', why: 'no_accents' }
    if (countWords(said) <= MAX_WORDS && [...stop].some((word) => contains(said, word)))
      return { kind: 'possible', why: 'contains' }
    return complains(said)
  }
}

const HAN = /\p{Script=Han}/u

/** Chinese has no blanks; two characters are about a word. */
function countWords(said: string): number {
  const han = said.match(/\p{Script=Han}/gu)?.length ?? 0
  const others = said
    .replace(/\p{Script=Han}+/gu, ' ')
    .split(' ')
    .filter(Boolean)
  return Math.ceil(han / 2) + others.length
}

/** Whole words only, except in Chinese. */
const contains = (said: string, word: string) =>
  HAN.test(word)
    ? said.replaceAll(' ', '').includes(word.replaceAll(' ', ''))
    : ` ${said} `.includes(` ${word} `)
