import type { ReasonCode } from '@sendroom/contract/reasons'
import i18next from 'i18next'
import { formatNumber } from '../format.ts'

type Params = Record<string, string | number>

/** A reason from the server in the current language. It may name another reason as its `why`; both share the params. */
export function reasonText({ code, params }: { code: ReasonCode; params: Params }): string {
  const why = params.why === undefined ? {} : { why: whyText(String(params.why), params) }
  return i18next.t(`REASON.${code}`, { ...params, ...why })
}

const whyText = (why: string, params: Params) => i18next.t(`REASON.${why}`, { ...params, defaultValue: why })

/** Params of a text with plural forms: `count` chooses the form, `{{number}}` shows the formatted number. */
export const counted = (count: number) => ({ count, number: formatNumber(count) })
