import { type ErrorCode, fieldOfError, type Params } from '@sendroom/contract/errors'
import type { Problem } from '@sendroom/contract/problem'
import i18next from 'i18next'
import { formatNumber, formatUnit } from '../format.ts'
import { addToast } from '../ui/toasts.ts'

const ERROR_MS = 5000

/** A failed call. Status 0 means that no server could be reached. */
export class Failure extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly params: Params
  /** Translation keys by field. */
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
 * Shows a failed call as one toast. With a `title` (a translation key) the toast says that, and below it the server's
 * reason if there is a specific one. Without a title the toast says what `failureText` says.
 */
export function reportFailure(error: unknown, title?: string) {
  if (isAbort(error) || wasReportedAtSessionEnd(error) || wasCancelled(error) || isStale(error)) return
  const msg = failureText(error)
  const titleText = title === undefined ? undefined : i18next.t(title)
  if (titleText === undefined) addToast({ type: 'error', msg, timeout: ERROR_MS })
  else if (hasSpecificReason(error)) addToast({ type: 'error', title: titleText, msg, timeout: ERROR_MS })
  else addToast({ type: 'error', msg: titleText, timeout: ERROR_MS })
}

export const reportSessionEnd = () =>
  addToast({ type: 'error', msg: i18next.t('ERROR_STATUS.401'), timeout: ERROR_MS })

/** A failed call as a sentence in the current language. */
export function failureText(error: unknown): string {
  if (!(error instanceof Failure)) return errorMessage(error)
  const { t } = i18next
  const { status, code } = error
  if (status === 0) return t('ERROR_STATUS.0')
  if (status === 400 && Object.keys(error.fields).length > 0)
    return Object.values(error.fields)
      .map((key) => t(key, error.params))
      .join('\n')
  if (code === 'forgery' || code === 'registration_closed') return t(`ERROR.${code}`)
  if (code === 'too_many_requests' && typeof error.params.seconds === 'number')
    return t('LOGIN.WAIT', { time: duration(error.params.seconds) })
  if (status === 403) return t('ERROR_STATUS.403')
  if (status === 404) return t('ERROR_STATUS.404')
  if (code !== undefined) return t(`ERROR.${code}`, { ...paramsOf(error), defaultValue: error.message })
  if (status === 400) return error.message || t('ERROR_STATUS.400')
  if (status === 500) return error.message || t('ERROR.internal')
  if (error.message !== '') return `${status}: ${error.message}`
  return t('ERROR_STATUS.OTHER', { status })
}

/** In seconds up to two minutes, such as "90 seconds", and in whole minutes beyond. */
function duration(seconds: number): string {
  const [value, unit] = seconds <= 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return formatUnit(value, unit, 'long')
}

/** Translates the parts of a sentence that the server sends in English: a reason, and how many more a list has. */
function paramsOf({ params }: Failure): Params {
  const { why, reason, more } = params
  return {
    ...params,
    ...(why !== undefined && { reason: i18next.t(`REASON.${why}`, { ...params, defaultValue: reason }) }),
    andMore: more ? ` ${i18next.t('COMMON.AND_MORE', { number: formatNumber(Number(more)) })}` : '',
  }
}

/** The error texts of a form, by field. */
export function fieldTexts(error: unknown): Record<string, string> {
  if (!(error instanceof Failure)) return {}
  const refused = error.code && fieldOfError.get(error.code)
  if (refused) return { [refused]: failureText(error) }
  return Object.fromEntries(
    Object.entries(error.fields).map(([field, key]) => [field, i18next.t(key, error.params)]),
  )
}

const errorMessage = (error: unknown) =>
  error instanceof Error && error.message !== '' ? error.message : i18next.t('ERROR_STATUS.DEFAULT')

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/** `reportSessionEnd` shows one toast when the session ends, however many calls fail because of that. */
const wasReportedAtSessionEnd = (error: unknown) =>
  error instanceof Failure && error.code === 'unauthenticated'

/** The user was asked for the password and did not want to go on, or has to set up a second factor first. */
const wasCancelled = (error: unknown) =>
  error instanceof Failure && ['confirm_password', 'factor_setup_required'].includes(error.code ?? '')

/** The form asks whose values to keep, instead of a toast. */
export const isStale = (error: unknown) => error instanceof Failure && error.code === 'stale_version'

const hasSpecificReason = (error: unknown) =>
  error instanceof Failure && ![400, 403, 404, 500].includes(error.status)
