import { Alert } from '@mantine/core'
import type { Instance, WarmUp } from '@sendroom/contract/instances'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import { sentences } from '../../i18n/words.ts'
import { holdTexts } from './hold-texts.ts'

/** Says why the account has to wait now, and how its warm-up stands. Renders nothing if neither is the case. */
export function InstanceNow({ instance: { isActive, holds, waiting, warmUp } }: { instance: Instance }) {
  const { t } = useTranslation()
  const held = isActive ? holdTexts(holds) : []
  return (
    <>
      {held.length > 0 && (
        <Alert color={waiting ? 'orange' : 'gray'} role="note">
          {held.map((text) => (
            <div key={text}>{text}</div>
          ))}
        </Alert>
      )}
      {warmUp && (
        <Alert color="blue" role="note">
          {warmUpText(warmUp, t)}
        </Alert>
      )}
    </>
  )
}

function warmUpText({ step, nextStep, sentToday, neededToday, spoiltBy }: WarmUp, t: TFunction): string {
  const numbers = { next: formatNumber(nextStep ?? 0), needed: formatNumber(neededToday) }
  const isEarned = sentToday >= neededToday && !spoiltBy
  return sentences([
    t('ACCOUNT.WARM_UP', { step: formatNumber(step), sent: formatNumber(sentToday) }),
    spoiltBy && t(`ACCOUNT.WARM_UP_${spoiltBy.toUpperCase()}`),
    isEarned
      ? t(nextStep ? 'ACCOUNT.WARM_UP_EARNED' : 'ACCOUNT.WARM_UP_DONE', numbers)
      : t(nextStep ? 'ACCOUNT.WARM_UP_NEXT' : 'ACCOUNT.WARM_UP_LAST', numbers),
  ])
}
