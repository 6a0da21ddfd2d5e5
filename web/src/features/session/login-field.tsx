import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './login-field.module.css'

type Props = {
  label: string
  name: string
  autoComplete: string
  isPassword?: boolean
  /** Whether the field takes the focus when it appears. */
  hasFocus?: boolean
  value: string
  onChange: (value: string) => void
  /** The error of an empty field, shown once the field was changed or left. */
  required: string
}

/** A field of the login in plain HTML. Mantine's inputs would double what the login page loads. */
export function LoginField({
  label,
  name,
  autoComplete,
  isPassword = false,
  hasFocus = false,
  value,
  onChange,
  required,
}: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [isTouched, setIsTouched] = useState(false)
  const [isShown, setIsShown] = useState(!isPassword)
  const error = isTouched && value.trim() === '' ? required : undefined
  return (
    <div>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <div className={classes.box}>
        <input
          id={id}
          className={classes.input}
          type={isShown ? 'text' : 'password'}
          name={name}
          autoComplete={autoComplete}
          autoCapitalize="none"
          // biome-ignore lint/a11y/noAutofocus: the field is what the user has just asked for
          autoFocus={hasFocus}
          required
          value={value}
          aria-invalid={error !== undefined}
          aria-describedby={error && `${id}-error`}
          onChange={(event) => {
            setIsTouched(true)
            onChange(event.currentTarget.value)
          }}
          onBlur={() => setIsTouched(true)}
        />
        {isPassword && (
          <button
            type="button"
            className={classes.toggle}
            aria-label={t('COMMON.SHOW_PASSWORD')}
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
          >
            <Eye isCrossed={isShown} />
          </button>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} className={classes.error}>
          {error}
        </p>
      )}
    </div>
  )
}

/** The icon shows what a click does, as in Mantine's password fields: open for showing, crossed for hiding. */
const Eye = ({ isCrossed }: { isCrossed: boolean }) => (
  <svg
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    aria-hidden
  >
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="2.5" />
    {isCrossed && <path d="M4 20 20 4" />}
  </svg>
)
