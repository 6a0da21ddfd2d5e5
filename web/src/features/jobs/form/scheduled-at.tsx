import { TextInput } from '@mantine/core'
import { type ReactNode, type Ref, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { instantAt, minuteOf } from '../../../format.ts'
import { HALF_TYPED } from '../../../forms/half-typed-date.ts'

/** Reads the input. For a half-typed date its value is empty, so only its validity reveals it. */
export const timeIn = ({ validity, value }: HTMLInputElement) =>
  validity.badInput ? HALF_TYPED : instantAt(value)

type Props = {
  ref: Ref<HTMLInputElement>
  /** An instant, empty for now, or `HALF_TYPED`. */
  value: string
  onChange: (value: string) => void
  error: ReactNode
}

export function ScheduledAt({ ref, value, onChange, error }: Props) {
  const { t } = useTranslation()
  // Uncontrolled, because only the browser can hold a half-typed date. A restored form starts with its instant.
  const [start] = useState(value === '' || value === HALF_TYPED ? '' : minuteOf(new Date(value)))
  return (
    <TextInput
      ref={ref}
      label={t('JOB.SCHEDULED_AT')}
      description={t('JOB.SCHEDULED_AT_HINT')}
      type="datetime-local"
      min={minuteOf(new Date())}
      max="9999-12-31T23:59"
      defaultValue={start}
      // Derived from the value, so that a restored form shows it too, although its field is empty.
      error={value === HALF_TYPED ? t('JOB.SCHEDULED_AT_HALF') : error}
      onChange={(event) => onChange(timeIn(event.currentTarget))}
      onBlur={(event) => onChange(timeIn(event.currentTarget))}
    />
  )
}
