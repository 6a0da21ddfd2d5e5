import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../api/queries.ts'
import { formatNumber } from '../../../format.ts'

/** Says that a job of this account waits for approval, or may. 0 is no account. */
export function ApprovalHint({ instanceId }: { instanceId: number }) {
  const { t } = useTranslation()
  const { data } = useRead(
    'GET /instances/:id',
    { params: { id: instanceId } },
    { enabled: instanceId !== 0, meta: { isQuiet: true } },
  )
  if (!data || data.approval === 'never') return null
  return (
    <Alert color="yellow" role="note">
      {data.approval === 'always'
        ? t('JOB.NEEDS_APPROVAL')
        : t('JOB.MAY_NEED_APPROVAL', { number: formatNumber(data.approvalAbove) })}
    </Alert>
  )
}
