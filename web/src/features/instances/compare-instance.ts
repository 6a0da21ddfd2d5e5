import type { Instance } from '@sendroom/contract/instances'
import { isMaskedToken } from '@sendroom/contract/whapi-token'
import i18next from 'i18next'
import { formatDate, formatNumber } from '../../format.ts'
import { type Difference, differenceOf, hideSecret } from '../../forms/differences.tsx'
import { labelled } from '../../i18n/punctuation.ts'
import { type InstanceValues, valuesOf } from './instance-values.ts'
import { limitFields } from './limit-fields.ts'
import { type Kind, kinds, pauseOf, type QuietHours } from './pace.ts'

/** Finds the fields that the user has filled in differently from what somebody else has saved. */
export function compareInstance(mine: InstanceValues, instance: Instance): Difference[] {
  const theirs = valuesOf(instance)
  return [
    ...differenceOf('ACCOUNT_FORM.NAME', mine.name, theirs.name),
    ...differenceOf('ACCOUNT_FORM.NUMBER', mine.whatsAppNumber, theirs.whatsAppNumber),
    ...(isMaskedToken(mine.whapiToken)
      ? []
      : differenceOf('ACCOUNT_FORM.TOKEN', mine.whapiToken, theirs.whapiToken, hideSecret)),
    ...differenceOf(
      'ACCOUNT_FORM.EXPIRY',
      mine.expiredTime,
      theirs.expiredTime,
      (at) => formatDate(at) || '—',
    ),
    ...differenceOf('ACCOUNT_FORM.IS_ACTIVE', mine.isActive, theirs.isActive),
    ...kinds.flatMap((kind) =>
      differenceOf(kindLabel(kind), paceOf(mine, kind), paceOf(theirs, kind), showPace),
    ),
    ...limitFields.flatMap(([name, label]) =>
      differenceOf(`ACCOUNT_FORM.${label}`, mine[name], theirs[name]),
    ),
    ...differenceOf(
      'ACCOUNT_FORM.SLOW_PAUSE',
      mine.privateSlowPauseSeconds,
      theirs.privateSlowPauseSeconds,
      ([from, to]) => `${from} – ${to}`,
    ),
    ...differenceOf('ACCOUNT_FORM.WARM_UP', mine.warmUpStep, theirs.warmUpStep),
    ...differenceOf('ACCOUNT_FORM.QUIET', mine.quietHours, theirs.quietHours, showQuietHours),
    ...differenceOf('ACCOUNT_FORM.TIME_ZONE', mine.timeZone, theirs.timeZone),
    ...differenceOf('ACCOUNT_FORM.APPROVAL', ruleOf(mine), ruleOf(theirs)),
  ]
}

const ruleOf = ({ approval, approvalAbove }: InstanceValues) =>
  i18next.t(`ACCOUNT_FORM.APPROVAL_${approval.toUpperCase()}`, { number: formatNumber(approvalAbove) })

const kindLabel = (kind: Kind) => `ACCOUNT_FORM.PACE_${kind.toUpperCase()}`

const paceOf = (values: InstanceValues, kind: Kind) => ({
  pause: values[pauseOf[kind]],
  cap: values.dailyCap[kind],
})

const showPace = ({ pause: [from, to], cap }: ReturnType<typeof paceOf>) => {
  const { t } = i18next
  return `${t('ACCOUNT_FORM.PAUSE_FROM')} ${from} ${t('ACCOUNT_FORM.PAUSE_TO')} ${to}\n${labelled(t('ACCOUNT_FORM.CAP'), String(cap))}`
}

const showQuietHours = (hours: QuietHours) => (hours ? `${hours.from} – ${hours.to}` : '—')
