import { TextInput } from '@mantine/core'
import { type ReactNode, type Ref, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { instantAt, minuteOf } from '../../format.ts'
import { HALF_TYPED } from '../../forms/half-typed.ts'

/** A half-typed date looks empty, to events and to the value: only the input's validity tells. */
export const timeIn = ({ validity, value }: HTMLInputElement) =>
  validity.badInput ? HALF_TYPED : instantAt(value)

type Props = {
  ref: Ref<HTMLInputElement>
  /** An instant; empty means now. */
  value: string
  onChange: (value: string) => void
  error: ReactNode
}

export function ScheduledAt({ ref, value, onChange, error }: Props) {
  const { t } = useTranslation()
  // Uncontrolled: the browser keeps the half-typed date, the form the instant. In a form that came back it has one.
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
      // Also in a form that came back, where the field is empty.
      error={value === HALF_TYPED ? t('JOB.SCHEDULED_AT_HALF') : error}
      onChange={(event) => onChange(timeIn(event.currentTarget))}
      onBlur={(event) => onChange(timeIn(event.currentTarget))}
    />
  )
}
