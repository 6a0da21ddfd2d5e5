import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { ClosedForm } from '../../forms/closed-form.tsx'
import { JobForm } from './job-form.tsx'

export function JobFormPage() {
  const { t } = useTranslation()
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  return isAllowed ? <JobForm /> : <ClosedForm title={t('JOB.CREATE_TITLE')} reason={t('JOB.NOT_ALLOWED')} />
}
