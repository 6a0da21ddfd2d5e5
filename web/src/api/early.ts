import { currentToken } from './stored-session.ts'

/** An answer that nobody has read for so long may be old: the user could not be read, or set up a factor. */
const FRESH_MS = 10_000

const answers = new Map<string, Promise<Response>>()
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
    const response = fetch(url, { headers: { Authorization: `Bearer ${askedWith}` } })
    // The browser keeps a connection until its answer is read. Without a bell, where a factor has to be set up, nobody
    // else reads it. Whoever takes the answer handles its failure.
    response.then((answer) => answer.clone().arrayBuffer()).catch(() => {})
    answers.set(url, response)
  }
}

/** The early answer to this GET, if there is one for this session. Each is used once, so that none is shown again. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const response = answers.get(url)
  answers.delete(url)
  return askedWith === currentToken() && Date.now() - askedAt < FRESH_MS ? response : undefined
}
