import { Alert, TextInput } from '@mantine/core'
import { type GroupSet, NewGroupSet } from '@sendroom/contract/group-sets'
import { limits } from '@sendroom/contract/limits'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { GroupPicker } from '../../forms/group-picker.tsx'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { enumerated } from '../../i18n/punctuation.ts'
import { SharingFields } from './sharing-fields.tsx'

const PAGE_SIZE = 100

export type GroupSetValues = {
  name: string
  instanceId: number
  groupIds: number[]
  isForAll: boolean
  userIds: number[]
}

type Props = {
  title: string
  /** The set that is edited. It stays with its account. */
  set?: GroupSet
  initialValues: GroupSetValues
  save: (values: GroupSetValues) => Promise<unknown>
}

export function GroupSetForm({ title, set, initialValues, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toSets = () => navigate({ to: '/group-sets' })
  const { form, onSubmit } = useContractForm(NewGroupSet, { initialValues, send: save, onSent: toSets })
  const { instanceId, groupIds, isForAll, userIds } = form.values
  const { data } = useRead(
    'GET /instances/:id/members',
    { params: { id: instanceId } },
    { enabled: instanceId !== 0 },
  )
  const left = set?.groups.filter(({ id, hasLeft }) => hasLeft && groupIds.includes(id)) ?? []
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={toSets}>
      <TextInput
        label={t('LIST.NAME')}
        required
        autoComplete="off"
        maxLength={limits.listName}
        {...form.getInputProps('name')}
      />
      {set ? (
        <TextInput label={t('FORM.INSTANCE')} value={set.instance.name} disabled readOnly />
      ) : (
        <InstanceSelect
          pageSize={PAGE_SIZE}
          required
          value={instanceId}
          onChange={(id) => form.setValues({ instanceId: id, groupIds: [], userIds: [] })}
          error={form.getInputProps('instanceId').error && t('GROUP_SET.INSTANCE_INVALID')}
        />
      )}
      <GroupPicker
        key={instanceId}
        instanceId={instanceId}
        pageSize={PAGE_SIZE}
        value={groupIds}
        onChange={(ids) => form.setFieldValue('groupIds', ids)}
        error={form.getInputProps('groupIds').error}
      />
      {left.length > 0 && (
        <Alert color="yellow">
          {t('GROUP_SET.LEFT_NAMES', { names: enumerated(left.map(({ name }) => name)) })}
        </Alert>
      )}
      <SharingFields
        value={{ isForAll, userIds }}
        onChange={(change) => form.setValues(change)}
        users={instanceId === 0 ? [] : data?.users}
        words={{ all: 'GROUP_SET.IS_FOR_ALL', hint: 'GROUP_SET.SHARED_HINT' }}
      />
    </FormPage>
  )
}
