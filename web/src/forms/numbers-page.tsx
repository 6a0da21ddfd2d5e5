import { NumberInput, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { thousandSeparator } from '../format.ts'
import { Loading } from '../ui/loading.tsx'
import { FormPage } from './form-page.tsx'
import { useContractForm } from './use-contract-form.ts'

type Numbers = Record<string, number | null>

/** Texts are translation keys. */
type FormProps<Values extends Numbers> = {
  title: string
  hint: string
  schema: z.ZodType<Values, Values>
  fields: readonly { name: keyof Values & string; label: string; hint: string }[]
  /** The meaning of an empty field, if a field may be empty. */
  empty?: string
  save: (values: Values) => Promise<unknown>
}

/** The data is undefined while it loads. */
type Props<Values extends Numbers> = FormProps<Values> & { data: Values | undefined }

/** A section of the settings with whole numbers, such as limits. */
export function NumbersPage<Values extends Numbers>({ data, ...props }: Props<Values>) {
  return data ? <NumbersForm {...props} initialValues={data} /> : <Loading />
}

function NumbersForm<Values extends Numbers>(props: FormProps<Values> & { initialValues: Values }) {
  const { title, hint, schema, fields, empty, initialValues, save } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const thousands = thousandSeparator()
  const { form, onSubmit } = useContractForm(schema, { initialValues, send: save })
  return (
    <FormPage
      title={t(title)}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={() => navigate({ to: '/settings' })}
    >
      <Text size="sm" c="dimmed">
        {t(hint)}
      </Text>
      {fields.map((field) => {
        const { value, onChange, ...inputProps } = form.getInputProps(field.name)
        return (
          <NumberInput
            key={field.name}
            label={t(field.label)}
            description={t(field.hint)}
            thousandSeparator={thousands}
            // The two must differ, although nobody can type a decimal one here.
            decimalSeparator={thousands === ',' ? '.' : ','}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            required={empty === undefined}
            placeholder={empty && t(empty)}
            {...inputProps}
            value={value ?? ''}
            onChange={(number) => onChange(number === '' ? null : Number(number))}
          />
        )
      })}
    </FormPage>
  )
}
