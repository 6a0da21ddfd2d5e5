import { Group, Radio, Stack, TagsInput, Textarea } from '@mantine/core'
import { type Import, ImportStart } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { type KnownMode, knownModes } from '@sendroom/contract/table-files'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useAll } from '../../api/use-all.ts'
import { formatNumber } from '../../format.ts'
import { NamedSelect } from '../../forms/named-select.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Section } from '../../ui/section.tsx'
import { useStale } from './use-stale.ts'

type Values = { known: KnownMode; listId: number | null; tags: string[]; consent: string }

/** Asks how to store the people, and why they may be written to. */
export function StartForm({ of: { id, version, status, fault, added, unchanged } }: { of: Import }) {
  const { t } = useTranslation()
  const start = useAction(
    'POST /imports/:id/start',
    { success: 'IMPORT.STARTED', failure: 'IMPORT.START_FAILED' },
    ['contacts', 'tags'],
  )
  const showPresent = useStale()
  const isChecked = status === 'checked' && !fault
  const initialValues: Values = { known: 'fill', listId: null, tags: [], consent: '' }
  const { form, onSubmit } = useContractForm(ImportStart, {
    initialValues,
    send: (values) =>
      start.mutateAsync({ params: { id }, body: { ...values, version } }, { onError: showPresent }),
  })
  const tags = useRead('GET /tags', {}, { meta: { isQuiet: true } })
  return (
    <Section title={t('IMPORT.OPTIONS')}>
      <form onSubmit={onSubmit} noValidate>
        <fieldset disabled={form.submitting} style={{ border: 0, margin: 0, padding: 0 }}>
          <Stack>
            <Radio.Group label={t('IMPORT.KNOWN')} {...form.getInputProps('known')}>
              <Stack gap="xs" mt={4}>
                {knownModes.map((mode) => (
                  <Radio key={mode} value={mode} label={t(`IMPORT.KNOWN_${mode.toUpperCase()}`)} />
                ))}
              </Stack>
            </Radio.Group>
            <ListSelect
              value={form.values.listId}
              onChange={(id) => form.setFieldValue('listId', id)}
              error={form.errors.listId}
            />
            <TagsInput
              label={t('IMPORT.TAGS')}
              placeholder={t('IMPORT.TAGS_PLACEHOLDER')}
              data={tags.data?.tags.map(({ name }) => name) ?? []}
              maxTags={limits.contactTags}
              {...form.getInputProps('tags')}
            />
            <Textarea
              required
              autosize
              minRows={2}
              label={t('IMPORT.CONSENT')}
              description={t('IMPORT.CONSENT_HINT')}
              {...form.getInputProps('consent')}
            />
            <Group justify="flex-end">
              <BusyButton type="submit" isBusy={form.submitting} disabled={!isChecked}>
                {isChecked
                  ? t('IMPORT.START', { number: formatNumber(added + unchanged) })
                  : t('IMPORT.OPTIONS')}
              </BusyButton>
            </Group>
          </Stack>
        </fieldset>
      </form>
    </Section>
  )
}

type ListProps = { value: number | null; onChange: (id: number | null) => void; error: ReactNode }

function ListSelect({ value, onChange, error }: ListProps) {
  const { t } = useTranslation()
  const { data, isLoadingError, refetch } = useAll(
    ['lists', 'fixed'],
    { pageSize: limits.pageSizeMax, words: 'IMPORT.LISTS_FAILED' },
    (page, signal) =>
      call('GET /lists', { query: { ...page, kind: 'fixed', sortBy: 'name', sortDirection: 'asc' } }, signal),
  )
  return (
    <NamedSelect
      clearable
      label={t('IMPORT.LIST')}
      choices={{ options: data, hasFailed: isLoadingError, retry: refetch }}
      value={value ?? 0}
      onChange={(id) => onChange(id || null)}
      error={error}
    />
  )
}
