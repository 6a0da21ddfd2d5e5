import type { ReasonCode } from '@sendroom/contract/reasons'
import i18next from 'i18next'
import { formatNumber } from '../format.ts'

type Params = Record<string, string | number>

/** A reason of the server, in the reader's language. One may name another as its `why`; they share the params. */
export function reasonText({ code, params }: { code: ReasonCode; params: Params }): string {
  const why = params.why === undefined ? {} : { why: whyText(String(params.why), params) }
  return i18next.t(`REASON.${code}`, { ...params, ...why })
}

const whyText = (why: string, params: Params) => i18next.t(`REASON.${why}`, { ...params, defaultValue: why })

/** For a text that counts: `count` chooses its form, `{{number}}` shows it. */
export const counted = (count: number) => ({ count, number: formatNumber(count) })
