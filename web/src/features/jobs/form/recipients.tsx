import type { UseFormReturnType } from '@mantine/form'
import { GroupPicker } from '../../../forms/group-picker.tsx'
import { GroupSetSelect } from './group-set-select.tsx'
import { PAGE_SIZE } from './job-choices.ts'
import type { Values } from './new-job-values.ts'
import { PeopleFields } from './people-fields.tsx'

type Props = {
  form: UseFormReturnType<Values>
  onPickGroups: (ids: number[]) => void
}

/** Whom a job goes to: groups of its account and sets of them, or people. */
export function Recipients({ form, onPickGroups }: Props) {
  const { jobType, instanceId, groupIds, groupSetIds } = form.values
  if (jobType === 'SendToUsers') return <PeopleFields form={form} />
  return (
    <>
      <GroupSetSelect
        instanceId={instanceId}
        value={groupSetIds}
        onChange={(ids) => form.setFieldValue('groupSetIds', ids)}
        error={form.getInputProps('groupSetIds').error}
      />
      <GroupPicker
        key={instanceId}
        instanceId={instanceId}
        pageSize={PAGE_SIZE}
        required={groupSetIds.length === 0}
        value={groupIds}
        onChange={onPickGroups}
        error={form.getInputProps('groupIds').error}
      />
    </>
  )
}
