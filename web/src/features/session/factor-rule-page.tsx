import { NativeSelect, TextInput } from '@mantine/core'
import { FactorRule, requiredOf } from '@sendroom/contract/factor'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { instantAt, minuteOf } from '../../format.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { HALF_TYPED } from '../../forms/half-typed-date.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { Loading } from '../../ui/loading.tsx'

/** Sets who has to have a second factor, and from when on. */
export function FactorRulePage(): ReactNode {
  const rule = useFormData(
    'GET /factor-rule',
    {},
    { words: 'TOAST.FACTOR_RULE_LOAD_FAILED', leaveTo: '/settings' },
  )
  return rule ? <RuleForm rule={rule} /> : <Loading />
}

function RuleForm({ rule }: { rule: FactorRule }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const leave = () => navigate({ to: '/settings' })
  const update = useAction('PUT /factor-rule', {
    success: 'TOAST.FACTOR_RULE_SAVED',
    failure: 'TOAST.FACTOR_RULE_FAILED',
  })
  const { form, onSubmit } = useContractForm(FactorRule, {
    initialValues: rule,
    send: (body) => update.mutateAsync({ body }),
    onSent: leave,
  })
  return (
    <FormPage title={t('FACTOR.RULE_TITLE')} isBusy={form.submitting} onSubmit={onSubmit} onCancel={leave}>
      <NativeSelect
        label={t('FACTOR.RULE_OF')}
        description={t('FACTOR.RULE_HINT')}
        data={requiredOf.map((who) => ({ value: who, label: t(`FACTOR.OF_${who.toUpperCase()}`) }))}
        {...form.getInputProps('requiredOf')}
      />
      <TextInput
        label={t('FACTOR.SINCE')}
        type="datetime-local"
        max="2099-12-31T23:59"
        // Uncontrolled, because only the browser can hold a half-typed date.
        defaultValue={rule.since === null ? '' : minuteOf(new Date(rule.since))}
        error={form.errors.since}
        onChange={({ currentTarget }) => form.setFieldValue('since', timeIn(currentTarget))}
      />
    </FormPage>
  )
}

/** Null for an empty field. A half-typed date is refused by the schema. */
const timeIn = ({ validity, value }: HTMLInputElement) =>
  validity.badInput ? HALF_TYPED : value === '' ? null : instantAt(value)
