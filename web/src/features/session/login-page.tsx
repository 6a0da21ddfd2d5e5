import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type OutputOf } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { startSession } from '../../api/session.ts'
import { currentLanguage, setPasswordMin } from '../../i18n/i18n.ts'
import { storeLanguage } from '../../i18n/load-texts.ts'
import { Mark } from '../../ui/brand.tsx'
import { LanguageSelect } from '../../ui/language-select.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { addToast } from '../../ui/toasts.ts'
import { LoginFailure } from './login-failure.tsx'
import { LoginField } from './login-field.tsx'
import classes from './login-page.module.css'

const RegisterModal = lazyComponent(async () => (await import('./register-modal.tsx')).RegisterModal)

const CodeStep = lazyComponent(async () => (await import('./code-step.tsx')).CodeStep)

/**
 * The login page. Everybody loads it first, so it uses no schema, no query client and no component library. The
 * register modal and the second step are loaded on demand.
 */
export function LoginPage() {
  const { t } = useTranslation()
  const mayRegister = useMayRegister()
  const [isRegistering, setIsRegistering] = useState(false)
  return (
    <main className={classes.page}>
      <title>{`${t('LOGIN.SUBMIT')} · Sendroom`}</title>
      <Pitch />
      <div className={classes.card}>
        <div className={classes.top}>
          <Mark size={40} />
          <LanguageSelect />
        </div>
        <h1 className={classes.title}>{t('LOGIN.TITLE')}</h1>
        <p className={classes.description}>{t('LOGIN.DESCRIPTION')}</p>
        <LoginForm />
        <p className={classes.register}>
          {mayRegister && (
            <>
              {t('LOGIN.NO_ACCOUNT')}{' '}
              <button type="button" className={classes.link} onClick={() => setIsRegistering(true)}>
                {t('LOGIN.REGISTER')}
              </button>
            </>
          )}
        </p>
      </div>
      {isRegistering && <RegisterModal onClose={() => setIsRegistering(false)} />}
    </main>
  )
}

/** Advertises Sendroom in the form of a chat. CSS shows it only on wide screens. */
function Pitch() {
  const { t } = useTranslation()
  return (
    <div className={classes.pitch}>
      <p className={classes.slogan}>{t('LOGIN.PITCH')}</p>
      {['LOGIN.PITCH_WRITE', 'LOGIN.PITCH_SEND', 'LOGIN.PITCH_SEE'].map((key) => (
        <p key={key} className={classes.bubble}>
          {t(key)}
          <Ticks />
        </p>
      ))}
    </div>
  )
}

const Ticks = () => (
  <svg
    width="18"
    height="12"
    viewBox="0 0 18 12"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
  >
    <path d="m1 6.5 3.5 3.5L11 2.5M9 10l7-7.5" />
  </svg>
)

/** Whether users may register. False until the server says so, because registration can be switched off. */
function useMayRegister() {
  const [may, setMay] = useState(false)
  useEffect(() => {
    const leaving = new AbortController()
    call('GET /auth/options', {}, leaving.signal)
      .then(({ selfRegistration, passwordMin }) => {
        setMay(selfRegistration)
        setPasswordMin(passwordMin)
      })
      // A failure only hides the link. Users who sign in need no toast about it.
      .catch(() => {})
    return () => leaving.abort()
  }, [])
  return may
}

function LoginForm() {
  const { t } = useTranslation()
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [isLoading, setIsLoading] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  /** Set while the code of a second factor is still to come. */
  const [ticket, setTicket] = useState<string | null>(null)
  const isValid = username.trim() !== '' && password !== ''

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isValid || isLoading) return
    setFailure(null)
    setIsLoading(true)
    try {
      const language = currentLanguage()
      await welcome(
        await call('POST /auth/login', { body: { username: username.trim(), password, language } }),
      )
    } catch (error) {
      if (error instanceof Failure && error.code === 'factor_required') setTicket(String(error.params.ticket))
      else setFailure(error)
      setIsLoading(false)
    }
  }

  const welcome = async (signedIn: OutputOf<'POST /auth/login'>) => {
    // Without a choice the app would switch to its own default, English.
    storeLanguage(currentLanguage())
    startSession(signedIn)
    addToast({
      type: 'success',
      title: t('TOAST.SUCCESS'),
      msg: t('TOAST.LOGIN_SUCCESS'),
      timeout: 3000,
    })
    // The page's guard now redirects to the return URL.
    await router.invalidate()
  }

  if (ticket !== null) {
    const goBack = (why: unknown) => {
      setTicket(null)
      setFailure(why)
    }
    return <CodeStep ticket={ticket} onSignedIn={welcome} onBack={goBack} />
  }

  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <LoginField
        label={t('LOGIN.USERNAME')}
        name="username"
        autoComplete="username"
        value={username}
        onChange={setUsername}
        required={t('LOGIN.USERNAME_REQUIRED')}
      />
      <LoginField
        label={t('LOGIN.PASSWORD')}
        name="password"
        autoComplete="current-password"
        isPassword
        value={password}
        onChange={setPassword}
        required={t('LOGIN.PASSWORD_REQUIRED')}
      />
      <LoginFailure failure={failure} />
      <button type="submit" className={classes.submit} disabled={!isValid || isLoading}>
        {isLoading ? t('LOGIN.LOGGING_IN') : t('LOGIN.SUBMIT')}
      </button>
    </form>
  )
}
