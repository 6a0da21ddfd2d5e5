import { Checkbox, MultiSelect, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type RightField, rightFields } from '@sendroom/contract/rights'
import { type NewUser, roles, type UserChange } from '@sendroom/contract/users'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { FormPage } from '../../forms/form-page.tsx'
import { useInstances } from '../../forms/use-choices.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { usePasswordMin } from '../../forms/use-password-min.ts'

export type UserValues = z.output<typeof NewUser>

type Props = {
  title: string
  isEdit?: boolean
  schema: typeof NewUser | typeof UserChange
  initialValues: UserValues
  save: (values: UserValues) => Promise<unknown>
}

export function UserForm({ title, isEdit = false, schema, initialValues, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  usePasswordMin()
  const toList = () => navigate({ to: '/users' })
  const { form, onSubmit } = useContractForm(schema, {
    initialValues,
    send: save,
    onSent: toList,
  })
  const { assignedInstances } = form.values
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={toList}>
      <TextInput
        label={t('USER_FORM.USERNAME')}
        required
        autoComplete="off"
        maxLength={limits.usernameMax}
        {...form.getInputProps('username')}
      />
      <TextInput
        label={t('USER_FORM.EMAIL')}
        type="email"
        required
        autoComplete="off"
        maxLength={limits.emailMax}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label={t('USER_FORM.PASSWORD')}
        description={isEdit && t('USER_FORM.PASSWORD_KEPT')}
        required={!isEdit}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('COMMON.SHOW_PASSWORD') }}
        {...form.getInputProps('password')}
      />
      <NativeSelect
        label={t('USER_FORM.ROLE')}
        required
        data={roles.map((role) => ({ value: role, label: t(`USER.ROLE_${role.toUpperCase()}`) }))}
        {...form.getInputProps('role')}
      />
      <Checkbox label={t('USER_FORM.IS_ACTIVE')} {...form.getInputProps('isActive', { type: 'checkbox' })} />
      <InstancesSelect
        chosen={assignedInstances}
        onChange={(ids) => form.setFieldValue('assignedInstances', ids)}
        error={form.getInputProps('assignedInstances').error}
      />
      {rightFields.map((field) => (
        <Checkbox
          key={field}
          label={t(RIGHT_LABELS[field])}
          {...form.getInputProps(field, { type: 'checkbox' })}
        />
      ))}
    </FormPage>
  )
}

export const RIGHT_LABELS: Record<RightField, string> = {
  canSendMessages: 'USER_FORM.CAN_SEND_MESSAGES',
  canCreateJobs: 'USER_FORM.CAN_CREATE_JOBS',
  canLinkAccounts: 'USER_FORM.CAN_LINK_ACCOUNTS',
  canExportParticipants: 'USER_FORM.CAN_EXPORT_PARTICIPANTS',
  canUseContacts: 'USER_FORM.CAN_USE_CONTACTS',
  canManageContacts: 'USER_FORM.CAN_MANAGE_CONTACTS',
  canApproveJobs: 'USER_FORM.CAN_APPROVE_JOBS',
  canMentionAll: 'USER_FORM.CAN_MENTION_ALL',
}

type SelectProps = { chosen: number[]; onChange: (ids: number[]) => void; error: string | undefined }

function InstancesSelect({ chosen, onChange, error }: SelectProps) {
  const { t } = useTranslation()
  const { data: instances, isPending } = useInstances(100, 'TOAST.ASSIGNMENT_LOAD_FAILED')
  return (
    <MultiSelect
      label={t('USER_FORM.INSTANCES')}
      description={t('USER_FORM.INSTANCES_HINT')}
      placeholder={isPending ? t('COMMON.LOADING') : t('USER_FORM.CHOOSE_INSTANCES')}
      nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
      searchable
      limit={100}
      // Empty until the instances are loaded, because ids would be shown instead of names.
      data={instances?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={instances ? chosen.map(String) : []}
      disabled={!instances}
      onChange={(ids) => onChange(ids.map(Number))}
      error={error}
    />
  )
}
