import { currentToken } from './stored-session.ts'

type Early = { token: string | null; response: Promise<Response> }

const answers = new Map<string, Early>()

/**
 * Asks for what the page will read, while its code is still loading. A phone waits for each of the two for half a
 * second, now for both at once.
 */
export function askEarly(urls: string[]) {
  const token = currentToken()
  for (const url of urls) {
    const response = fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    // The browser keeps a connection until its answer is read. Without a bell, where a factor has to be set up, nobody
    // else reads it. Whoever takes the answer handles its failure.
    response.then((answer) => answer.clone().arrayBuffer()).catch(() => {})
    answers.set(url, { token, response })
  }
}

/**
 * The early answer to this GET, if there is one for this session. Each is used once, so that none is shown when old.
 */
export function takeEarly(url: string): Promise<Response> | undefined {
  const early = answers.get(url)
  answers.delete(url)
  return early?.token === currentToken() ? early?.response : undefined
}
