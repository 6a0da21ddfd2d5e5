import type { JobType } from '@sendroom/contract/job-life'
import { useTranslation } from 'react-i18next'

export function JobTypeName({ type }: { type: JobType }) {
  const { t } = useTranslation()
  return t(`JOB.TYPE_${type.toUpperCase()}`)
}
