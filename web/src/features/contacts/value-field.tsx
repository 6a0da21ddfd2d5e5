import { NativeSelect, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import type { ContactField } from '@sendroom/contract/contact-fields'
import { limits } from '@sendroom/contract/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { HALF_TYPED } from '../../forms/half-typed-date.ts'
import type { FieldValue } from './contact-values.ts'

type Props = {
  field: ContactField
  value?: FieldValue | undefined
  error?: string
  onChange: (value: FieldValue) => void
}

/** The value of a field, in an input of its type. */
export function ValueField({ field, value = null, error, onChange }: Props) {
  const { t } = useTranslation()
  const { name: label, type, choices } = field
  switch (type) {
    case 'text':
      return (
        <Textarea
          label={label}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={limits.contactValue}
          error={error}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.currentTarget.value || null)}
        />
      )
    case 'number':
      return (
        <NumberInput
          label={label}
          hideControls
          decimalScale={6}
          allowedDecimalSeparators={['.', ',']}
          error={error}
          value={value === null ? '' : Number(value)}
          onChange={(number) => onChange(number === '' ? null : number)}
        />
      )
    case 'date':
      return <DateField label={label} value={value} error={error} onChange={onChange} />
    case 'yesNo':
      return (
        <NativeSelect
          label={label}
          error={error}
          value={String(value ?? '')}
          onChange={({ currentTarget: { value: chosen } }) =>
            onChange(chosen === '' ? null : chosen === 'true')
          }
          data={[
            { value: '', label: '–' },
            { value: 'true', label: t('COMMON.YES') },
            { value: 'false', label: t('COMMON.NO') },
          ]}
        />
      )
    case 'choice':
      return (
        <Select
          label={label}
          placeholder={t('FORM.CHOOSE')}
          nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
          searchable
          clearable
          openOnFocus={false}
          data={choices}
          error={error}
          value={value === null ? null : String(value)}
          onChange={onChange}
        />
      )
  }
}

type DateProps = { label: string; value: FieldValue; error: string | undefined; onChange: Props['onChange'] }

function DateField({ label, value, error, onChange }: DateProps) {
  const { t } = useTranslation()
  // Uncontrolled, because only the browser can hold a half-typed date.
  const [start] = useState(value === HALF_TYPED ? '' : String(value ?? ''))
  const read = ({ validity, value: day }: HTMLInputElement) =>
    onChange(validity.valid ? day || null : HALF_TYPED)
  return (
    <TextInput
      label={label}
      type="date"
      min="1800-01-01"
      max="9999-12-31"
      defaultValue={start}
      error={value === HALF_TYPED ? t('CONTACT_FORM.DATE_HALF') : error}
      onChange={(event) => read(event.currentTarget)}
      onBlur={(event) => read(event.currentTarget)}
    />
  )
}
