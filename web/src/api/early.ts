import { currentToken } from './stored-session.ts'

/** An answer that nobody has read for so long may be old: the user could not be read, or set up a factor. */
const FRESH_MS = 10_000

type Early = { response: Promise<Response>; data?: unknown }

const answers = new Map<string, Early>()
let askedWith: string | null = null
let askedAt = 0

/**
 * Asks for what the page will read, while its code is still loading. A phone waits for each of the two for half a
 * second, now for both at once.
 */
export function askEarly(urls: string[]) {
  askedWith = currentToken()
  askedAt = Date.now()
  for (const url of urls) {
    const early: Early = {
      response: fetch(url, { headers: { Authorization: `Bearer ${askedWith}` } }),
    }
    // The browser keeps a connection until its answer is read. Without a bell, where a factor has to be set up, nobody
    // else reads it. Whoever takes the answer handles its failure.
    keepData(early).catch(() => {})
    answers.set(url, early)
  }
}

async function keepData(early: Early) {
  const response = await early.response
  const data: unknown = await response.clone().json()
  if (response.ok) early.data = data
}

/** The early answer to this GET, if there is one for this session. Each is used once, so that none is shown again. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const early = earlyAnswer(url)
  answers.delete(url)
  return early?.response
}

/** Like `takeEarly`, but only what has arrived already: a page that has its data is drawn at once as a whole. */
export function takeEarlyData(url: string): unknown {
  const data = earlyAnswer(url)?.data
  if (data !== undefined) answers.delete(url)
  return data
}

const earlyAnswer = (url: string) =>
  askedWith === currentToken() && Date.now() - askedAt < FRESH_MS ? answers.get(url) : undefined
