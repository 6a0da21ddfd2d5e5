import { Alert, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { approvalRules } from '@sendroom/contract/account-approval'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import type { InstanceValues } from './instance-values.ts'

const NEEDED_APPROVERS = 2

type Props = {
  form: UseFormReturnType<InstanceValues>
  /** Undefined for an account that is not saved yet. */
  approverCount: number | undefined
}

/** Which jobs of the account a second person has to approve. */
export function ApprovalFields({ form, approverCount }: Props) {
  const { t } = useTranslation()
  const { approval, approvalAbove } = form.values
  const above = formatNumber(
    Number.isNaN(approvalAbove) ? form.getInitialValues().approvalAbove : approvalAbove,
  )
  const chooseRule = (name: string) => {
    const rule = approvalRules.find((known) => known === name) ?? 'never'
    form.setFieldValue('approval', rule)
    // A wrong number in a hidden field would keep the form from being saved.
    if (rule !== 'above') form.setFieldValue('approvalAbove', form.getInitialValues().approvalAbove)
  }
  return (
    <>
      <Radio.Group
        label={t('ACCOUNT_FORM.APPROVAL')}
        description={t('ACCOUNT_FORM.APPROVAL_HINT')}
        {...form.getInputProps('approval')}
        onChange={chooseRule}
      >
        <Stack gap="xs" mt="xs">
          {approvalRules.map((rule) => (
            <Radio
              key={rule}
              value={rule}
              label={t(`ACCOUNT_FORM.APPROVAL_${rule.toUpperCase()}`, { number: above })}
            />
          ))}
        </Stack>
      </Radio.Group>
      {approval === 'above' && (
        <TextInput
          label={t('ACCOUNT_FORM.APPROVAL_NUMBER')}
          description={t('ACCOUNT_FORM.APPROVAL_NUMBER_HINT')}
          type="number"
          inputMode="numeric"
          min={1}
          max={limits.approvalAbove}
          error={form.getInputProps('approvalAbove').error}
          value={Number.isNaN(approvalAbove) ? '' : approvalAbove}
          onChange={(event) => form.setFieldValue('approvalAbove', event.currentTarget.valueAsNumber)}
        />
      )}
      {approval !== 'never' && approverCount !== undefined && approverCount < NEEDED_APPROVERS && (
        <Alert color="orange">{t('ACCOUNT_FORM.APPROVERS_FEW')}</Alert>
      )}
    </>
  )
}
