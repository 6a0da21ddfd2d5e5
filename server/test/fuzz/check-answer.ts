import { Problem } from '@sendroom/contract/problem'
import type { Fixture } from './fixture.ts'
import { API_KEY, FOREIGN, SECRET } from './markers.ts'
import type { FuzzRequest } from './requests.ts'
import type { Answer } from './send.ts'

/** Refusals with a status of 5xx: another service fails, or the server has no place at the moment. */
const TEMPORARY = ['unavailable', 'qr_not_ready', 'provider_failed', 'image_store_down']

/** Signs of a stack, of SQL or of a password hash. */
const INTERNALS = /node_modules|\.ts:\d+|at async |\$argon2|select .+ from |duplicate key|ECONNREFUSED/

/** Returns what is wrong with an answer, whatever the request was. */
export function mistakesOf({ operation, caller }: FuzzRequest, answer: Answer, fixture: Fixture): string[] {
  const { status, text, hasReachedHandler } = answer
  const problem = status >= 400 ? problemOf(answer) : null
  const isSignedIn = caller.userId !== null && caller.name !== 'locked'
  const mistakes = {
    'is an internal error': status === 500,
    'fails with another status than our refusals': status > 500 && !TEMPORARY.includes(problem?.code ?? ''),
    'is no problem of the contract': status >= 400 && problem === null,
    'has a secret': text.includes(SECRET),
    'has the key of a webhook': fixture.secretTexts.some((secret) => text.includes(secret)),
    'has internals': status >= 400 && INTERNALS.test(text),
    'has data of a foreign instance': text.includes(FOREIGN) && !caller.isAdmin,
    'reached a handler that is closed to API keys':
      hasReachedHandler && caller.isKey && !operation.isPublic && !operation.allowsApiKeys,
    'reached a handler with the key of another address':
      hasReachedHandler && caller.name === 'keyFromElsewhere' && !operation.isPublic,
    'has an API key': API_KEY.test(text) && operation.name !== 'POST /api/api-keys',
    'reached a handler without a session': hasReachedHandler && !operation.isPublic && !isSignedIn,
  }
  return Object.entries(mistakes)
    .filter(([, isMade]) => isMade)
    .map(([mistake]) => `The answer ${mistake}`)
}

/** Returns null if the body is no problem of the contract. */
export function problemOf({ contentType, text }: Answer): Problem | null {
  if (!contentType.startsWith('application/json')) return null
  try {
    return Problem.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
