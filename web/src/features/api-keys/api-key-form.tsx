import { Checkbox, MultiSelect, NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core'
import type { ApiKeyChange, NewApiKey } from '@sendroom/contract/api-keys'
import { limits } from '@sendroom/contract/limits'
import { keyRights } from '@sendroom/contract/rights'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useInstances } from '../../forms/use-choices.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { RIGHT_LABELS } from './right-labels.ts'

const DAYS = [30, 90, 365, 730]

type Props = {
  title: string
  isEdit?: boolean
  schema: typeof NewApiKey | typeof ApiKeyChange
  initialValues: NewApiKey
  save: (values: NewApiKey) => Promise<unknown>
  onSaved?: () => unknown
  onCancel: () => void
}

export function ApiKeyForm({ title, isEdit = false, schema, initialValues, save, onSaved, onCancel }: Props) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const { form, onSubmit, change } = useContractForm(schema, {
    initialValues,
    send: save,
    ...(onSaved && { onSent: onSaved }),
  })
  const { rights, instanceIds, days } = form.values
  const offered = keyRights.filter((right) => mayDo(right, user) || rights.includes(right))
  // The address that is wrong is named by its place, and the field shows them all.
  const wrongAddress = Object.keys(form.errors).find((field) => field.startsWith('addresses'))
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={onCancel}>
      <TextInput
        label={t('API_KEY_FORM.NAME')}
        description={t('API_KEY_FORM.NAME_HINT')}
        required
        autoComplete="off"
        maxLength={limits.apiKeyName}
        {...form.getInputProps('name')}
      />
      <Checkbox.Group
        label={t('API_KEY.RIGHTS')}
        description={t('API_KEY_FORM.RIGHTS_HINT')}
        {...form.getInputProps('rights')}
      >
        <Stack gap="xs" mt="xs">
          {offered.map((right) => (
            <Checkbox key={right} value={right} label={t(RIGHT_LABELS[right])} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label={t('API_KEY_FORM.ALL_ACCOUNTS')}
        description={t('API_KEY_FORM.ALL_ACCOUNTS_HINT')}
        checked={instanceIds === null}
        onChange={({ currentTarget }) => change({ instanceIds: currentTarget.checked ? null : [] })}
      />
      {instanceIds !== null && (
        <AccountsSelect
          chosen={instanceIds}
          onChange={(ids) => change({ instanceIds: ids })}
          error={form.getInputProps('instanceIds').error}
        />
      )}
      {!isEdit && (
        <NativeSelect
          label={t('API_KEY_FORM.DAYS')}
          data={DAYS.map((days) => ({ value: String(days), label: t(`API_KEY_FORM.DAYS_${days}`) }))}
          value={String(days)}
          onChange={({ currentTarget }) => change({ days: Number(currentTarget.value) })}
        />
      )}
      <TagsInput
        label={t('API_KEY.ADDRESSES')}
        description={t('API_KEY_FORM.ADDRESSES_HINT')}
        splitChars={[',', ';', ' ']}
        {...form.getInputProps('addresses')}
        error={wrongAddress && form.getInputProps(wrongAddress).error}
      />
    </FormPage>
  )
}

type SelectProps = { chosen: number[]; onChange: (ids: number[]) => void; error: string | undefined }

function AccountsSelect({ chosen, onChange, error }: SelectProps) {
  const { t } = useTranslation()
  const { data: instances, isPending } = useInstances(100)
  return (
    <MultiSelect
      label={t('API_KEY.ACCOUNTS')}
      placeholder={isPending ? t('COMMON.LOADING') : t('USER_FORM.CHOOSE_INSTANCES')}
      nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
      required
      searchable
      limit={100}
      // Empty until the accounts are loaded, because ids would be shown instead of names.
      data={instances?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={instances ? chosen.map(String) : []}
      disabled={!instances}
      onChange={(ids) => onChange(ids.map(Number))}
      error={error}
    />
  )
}
