import type { ReasonCode } from '@sendroom/contract/reasons'
import type { Hold } from '@sendroom/contract/values'
import i18next from 'i18next'
import { formatDateTime, formatNumber } from '../format.ts'

type Params = Record<string, string | number>

/** A reason from the server in the current language. It may name another reason as its `why`; both share the params. */
export function reasonText({ code, params }: { code: ReasonCode; params: Params }): string {
  const why = params.why === undefined ? {} : { why: whyText(String(params.why), params) }
  return i18next.t(`REASON.${code}`, { ...params, ...why })
}

const whyText = (why: string, params: Params) => i18next.t(`REASON.${why}`, { ...params, defaultValue: why })

/** Params of a text with plural forms: `count` chooses the form, `{{number}}` shows the formatted number. */
export const counted = (count: number) => ({ count, number: formatNumber(count) })

/** Joins sentences. A Chinese full stop needs no space after it. */
export const sentences = (parts: (string | null | false | undefined)[]) =>
  parts.filter(Boolean).join(' ').replaceAll('。 ', '。')

/** Why an account sends nothing at the moment, and until when. */
export const holdText = ({ why, until }: Hold) =>
  sentences([reasonText(why), until && i18next.t('COMMON.UNTIL', { time: formatDateTime(until) })])
