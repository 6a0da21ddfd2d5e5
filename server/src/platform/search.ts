import { normalize } from '@sendroom/contract/search-text'
import type { Db } from './database/connection.ts'
import { identifier, type Sql, sql } from './database/sql.ts'

/*
 * The trigram index knows for each three letters which rows have them, and a search reads the list of each three
 * letters that were typed. Letters that are in every text have the longest lists and tell the least: with a million
 * rows, 'word' makes the search for 'word123456' six times as slow as '123456'. So the index gets the rare part of what
 * was typed.
 */

const SAMPLE = 300
/**
 * How much of each text, and of what was typed, is looked at: a search with 200 letters in 300 texts of 4,000 held up
 * the server for a quarter of a second.
 */
const SAMPLE_LENGTH = 1000
const TYPED_LENGTH = 30
const SAMPLE_MAX_AGE_MS = 600_000
/** Three letters that are in this share of the texts are common. */
const COMMON = 0.03
/** How many more rows than the whole text the rare part may find, as a share of all. The others are read in vain. */
const READ_IN_VAIN = 0.01

type Table = 'jobs' | 'messages' | 'groups' | 'contacts' | 'opt_outs'

/** SQL condition: the text, in the form that searches compare, contains what was typed, if anything was. */
export const hasText = (text: Sql, typed: string | undefined): Sql =>
  typed ? sql`${text} like like_pattern(${typed})` : sql`true`

/** SQL condition: the text by which a row of this table is found contains what was typed. */
export async function searchCondition(db: Db, table: Table, alias: string, typed: string): Promise<Sql> {
  const column = identifier(`${alias}.search_text`)
  const rare = rarePart(typed, await recentTexts(db, table))
  if (!rare) return sql`${column} like like_pattern(${typed})`
  // Both forms of the second condition are of no use for the index. In the first one the planner knows how few rows
  // have all that was typed. The second one takes less planning, but the planner expects as many rows as have the part,
  // and so walks the list if they are many.
  const hasAll = rare.isFew
    ? sql`(${column} not like like_pattern(${typed})) is false`
    : sql`position(unaccent_lower(${typed}) in ${column}) <> 0`
  return sql`(${column} like like_pattern(${rare.part}) and ${hasAll})`
}

/**
 * Returns the part of a typed text that the index should get, or null for all of it. Whatever contains the typed text
 * must contain the part, so that it has only letters that the database certainly normalizes in the same way.
 */
export function rarePart(typed: string, texts: readonly string[]): { part: string; isFew: boolean } | null {
  const wanted = normalize(typed)
  if (texts.length < SAMPLE || !isLatin(typed)) return null
  const found = texts.filter((text) => text.includes(wanted)).length / texts.length
  const shareOf = (trigrams: string[]) =>
    texts.filter((text) => trigrams.every((trigram) => text.includes(trigram))).length / texts.length
  let longest = ''
  let run = ''
  for (const trigram of trigramsOf(wanted.slice(0, TYPED_LENGTH))) {
    const isUsed = isAscii(trigram) && shareOf([trigram]) < COMMON
    if (isUsed) run = run === '' ? trigram : run + trigram.slice(-1)
    else run = ''
    if (run.length > longest.length) longest = run
  }
  if (longest === '' || longest === wanted) return null
  const withPart = shareOf(trigramsOf(longest))
  return withPart - found < READ_IN_VAIN ? { part: longest, isFew: found === 0 && withPart > 0 } : null
}

const trigramsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 2) }, (_, index) => text.slice(index, index + 3))

/** Accents included, those of Vietnamese too. */
const isLatin = (text: string) => /^(?:[\u0020-\u024f\u1e00-\u1eff]|[\u0300-\u036f])*$/.test(text)
const isAscii = (text: string) => /^[\u0020-\u007e]*$/.test(text)

type Sample = { texts: Promise<string[]>; at: number }
const samples = new WeakMap<Db, Map<Table, Sample>>()

/** The newest texts of the table, at most ten minutes old. They tell which letters are common. */
function recentTexts(db: Db, table: Table): Promise<string[]> {
  const known = samples.get(db) ?? new Map<Table, Sample>()
  samples.set(db, known)
  const sample = known.get(table)
  if (sample && performance.now() - sample.at < SAMPLE_MAX_AGE_MS) return sample.texts
  const texts = readTexts(db, table)
  known.set(table, { texts, at: performance.now() })
  texts.catch(() => known.delete(table))
  return texts
}

async function readTexts(db: Db, table: Table): Promise<string[]> {
  const rows = await db.many<{ searchText: string }>(sql`
    select left(search_text, ${SAMPLE_LENGTH}) as search_text from ${identifier(table)} order by id desc limit ${SAMPLE}`)
  return rows.map(({ searchText }) => searchText)
}
