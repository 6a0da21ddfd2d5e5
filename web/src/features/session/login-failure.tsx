import { useTranslation } from 'react-i18next'
import { failureText } from '../../api/failure.ts'
import classes from './login-page.module.css'

export function LoginFailure({ failure }: { failure: unknown }) {
  const { t } = useTranslation()
  if (failure === null) return null
  return (
    <p role="alert" className={classes.failure}>
      {t('LOGIN.LOGIN_FAIL')}
      <small>{failureText(failure)}</small>
    </p>
  )
}
