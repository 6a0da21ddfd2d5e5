import type { Pace } from '@sendroom/contract/pace'
import i18next from 'i18next'
import { formatNumber } from '../../format.ts'
import { type Kind, type QuietHours, throughput } from './pace.ts'

/** What a pace means: so many an hour and a day. Empty while a number is being typed. */
export function paceWords(pace: Pace & { quietHours: QuietHours }, kind: Kind): string {
  const { t } = i18next
  const { hour, day } = throughput(pace, kind)
  if (Number.isNaN(hour) || Number.isNaN(day)) return ''
  if (day === Number.POSITIVE_INFINITY) return t('ACCOUNT_FORM.PACE_FREE')
  if (pace.dailyCap[kind] === day && hour === day)
    return t('ACCOUNT_FORM.PACE_DAY', { day: formatNumber(day) })
  return t('ACCOUNT_FORM.PACE_MEANS', { hour: formatNumber(hour), day: formatNumber(day) })
}
