import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type OutputOf } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { LoginFailure } from './login-failure.tsx'
import { LoginField } from './login-field.tsx'
import classes from './login-page.module.css'

type Props = {
  ticket: string
  onSignedIn: (signedIn: OutputOf<'POST /auth/login/code'>) => Promise<void>
  /** Back to the password, with what went wrong, if anything did. */
  onBack: (failure: unknown) => void
}

/** The second step of a sign-in, for whoever has a second factor. Loaded on demand. */
export function CodeStep({ ticket, onSignedIn, onBack }: Props) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const [isLoading, setIsLoading] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const isValid = code.trim() !== ''

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isValid || isLoading) return
    setFailure(null)
    setIsLoading(true)
    try {
      const body = { ticket, code: code.trim(), language: currentLanguage() }
      await onSignedIn(await call('POST /auth/login/code', { body }))
    } catch (error) {
      if (error instanceof Failure && error.code === 'ticket_invalid') return onBack(error)
      setFailure(error)
      setIsLoading(false)
    }
  }

  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <p className={classes.description}>{t('LOGIN.CODE_HINT')}</p>
      <LoginField
        label={t('LOGIN.CODE')}
        name="code"
        autoComplete="one-time-code"
        hasFocus
        value={code}
        onChange={setCode}
        required={t('LOGIN.CODE_REQUIRED')}
      />
      <LoginFailure failure={failure} />
      <button type="submit" className={classes.submit} disabled={!isValid || isLoading}>
        {isLoading ? t('LOGIN.LOGGING_IN') : t('LOGIN.SUBMIT')}
      </button>
      <button type="button" className={classes.link} onClick={() => onBack(null)}>
        {t('LOGIN.BACK')}
      </button>
    </form>
  )
}
