import type { Params } from '@sendroom/contract/errors'

const MAX_NAMED = 20

/** Names the first entries, enough to find them by. The answer must not grow with the list. */
export function namesOf(param: string, first: string[], total: number): Params {
  const named = first.slice(0, MAX_NAMED).map((text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text))
  const more = total - named.length
  return { [param]: named.join(', '), more, andMore: more > 0 ? ` and ${more} more` : '' }
}
