import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { JobForm } from './job-form.tsx'

export function JobFormPage() {
  const { t } = useTranslation()
  if (!mayDo('canCreateJobs', useCurrentUser())) return <Alert color="yellow">{t('JOB.NOT_ALLOWED')}</Alert>
  return <JobForm />
}
