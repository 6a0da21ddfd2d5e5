import { type ErrorCode, fieldOfError, type Params } from '@sendroom/contract/errors'
import type { Problem } from '@sendroom/contract/problem'
import i18next from 'i18next'
import { addToast } from '../ui/toasts.ts'

const ERROR_MS = 5000

/** A call that did not succeed. Status 0 is a server that could not be reached. */
export class Failure extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly params: Params
  /** Field → key of its sentence. */
  readonly fields: Record<string, string>

  constructor(status: number, problem: Partial<Problem> = {}) {
    super(typeof problem.error === 'string' ? problem.error : Object.values(problem.error ?? {}).join('\n'))
    this.status = status
    this.code = problem.code
    this.params = problem.params ?? {}
    this.fields = problem.fields ?? {}
  }
}

/**
 * The one toast of a failed call: the screen's own words (a key) where it has some, with the server's
 * reason below them where there is a particular one; else the words of the global table.
 */
export function reportFailure(error: unknown, ownWords?: string) {
  if (isAbort(error) || wasToldAtSessionEnd(error)) return
  const msg = failureText(error)
  const own = ownWords === undefined ? undefined : i18next.t(ownWords)
  if (own === undefined) addToast({ type: 'error', msg, timeout: ERROR_MS })
  else if (isParticular(error)) addToast({ type: 'error', title: own, msg, timeout: ERROR_MS })
  else addToast({ type: 'error', msg: own, timeout: ERROR_MS })
}

export const reportSessionEnd = () =>
  addToast({ type: 'error', msg: i18next.t('ERROR_STATUS.401'), timeout: ERROR_MS })

/** A failed call in words. */
export function failureText(error: unknown): string {
  if (!(error instanceof Failure)) return errorMessage(error)
  const { t } = i18next
  const { status, code } = error
  if (status === 0) return t('ERROR_STATUS.0')
  if (status === 400 && Object.keys(error.fields).length > 0)
    return Object.values(error.fields)
      .map((key) => t(key))
      .join('\n')
  if (code === 'forgery' || code === 'registration_closed') return t(`ERROR.${code}`)
  if (status === 403) return t('ERROR_STATUS.403')
  if (status === 404) return t('ERROR_STATUS.404')
  if (code !== undefined) return t(`ERROR.${code}`, { ...paramsOf(error), defaultValue: error.message })
  if (status === 400) return error.message || t('ERROR_STATUS.400')
  if (status === 500) return error.message || t('ERROR.internal')
  if (error.message !== '') return `${status}: ${error.message}`
  return t('ERROR_STATUS.OTHER', { status })
}

/** A failure may name a reason by its code as `why`; they share the params. */
function paramsOf({ params }: Failure): Params {
  const { why, reason } = params
  if (why === undefined) return params
  return { ...params, reason: i18next.t(`REASON.${why}`, { ...params, defaultValue: reason }) }
}

/** What a form shows at its fields: field → sentence. */
export function fieldTexts(error: unknown): Record<string, string> {
  if (!(error instanceof Failure)) return {}
  const refused = error.code && fieldOfError[error.code]
  if (refused) return { [refused]: failureText(error) }
  return Object.fromEntries(Object.entries(error.fields).map(([field, key]) => [field, i18next.t(key)]))
}

const errorMessage = (error: unknown) =>
  error instanceof Error && error.message !== '' ? error.message : i18next.t('ERROR_STATUS.DEFAULT')

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/** One toast when the session ends, however many calls were under way. */
const wasToldAtSessionEnd = (error: unknown) => error instanceof Failure && error.code === 'unauthenticated'

const isParticular = (error: unknown) =>
  error instanceof Failure && ![400, 403, 404, 500].includes(error.status)
