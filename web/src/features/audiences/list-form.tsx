import { Fieldset, Input, Radio, Stack, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { NewList } from '@sendroom/contract/lists'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { ContactFilterBar } from '../../forms/contact-filter-bar.tsx'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import type { ListValues } from './list-values.ts'
import { SharingFields } from './sharing-fields.tsx'

type Props = {
  title: string
  /** A list never gets another kind. */
  isEdit?: boolean
  initialValues: ListValues
  save: (values: ListValues) => Promise<unknown>
  onSaved: () => unknown
  onCancel: () => void
}

export function ListForm({ title, isEdit = false, initialValues, ...on }: Props) {
  const { t } = useTranslation()
  const { data } = useRead('GET /list-users', {})
  const { form, onSubmit } = useContractForm(NewList, {
    initialValues,
    send: on.save,
    onSent: on.onSaved,
  })
  const { kind, filter, isForAll, userIds } = form.values
  const [, filterError] = Object.entries(form.errors).find(([field]) => field.startsWith('filter')) ?? []
  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={onSubmit} onCancel={on.onCancel}>
      <TextInput
        label={t('LIST.NAME')}
        required
        autoComplete="off"
        maxLength={limits.listName}
        {...form.getInputProps('name')}
      />
      {!isEdit && (
        <Radio.Group label={t('LIST.KIND')} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt={4}>
            <Radio value="fixed" label={t('LIST.KIND_FIXED')} description={t('LIST.KIND_FIXED_HINT')} />
            <Radio value="filter" label={t('LIST.KIND_FILTER')} description={t('LIST.KIND_FILTER_HINT')} />
          </Stack>
        </Radio.Group>
      )}
      {kind === 'filter' && (
        <Fieldset legend={t('LIST.FILTER')}>
          <TextInput
            label={t('LIST.SEARCH')}
            mb="md"
            autoComplete="off"
            maxLength={limits.search}
            {...form.getInputProps('filter.search')}
          />
          <ContactFilterBar
            filter={filter}
            setFilter={(change) => form.setFieldValue('filter', { ...filter, ...change })}
          />
          {filterError && <Input.Error>{filterError}</Input.Error>}
        </Fieldset>
      )}
      <SharingFields
        value={{ isForAll, userIds }}
        onChange={(change) => form.setValues(change)}
        users={data?.users}
        words={{ all: 'LIST.IS_FOR_ALL', hint: 'LIST.SHARED_HINT' }}
      />
    </FormPage>
  )
}
