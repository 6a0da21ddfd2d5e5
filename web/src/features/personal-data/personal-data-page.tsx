import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ForgetRequest, NumberToFind } from '@sendroom/contract/personal-data'
import { IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { dayOf, formatDateTime, formatNumber } from '../../format.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { DownloadButton } from '../../lists/download-button.tsx'
import { type Column, Table } from '../../lists/table.tsx'
import { confirm } from '../../ui/confirm.ts'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'

const LOADING_HEIGHT = 120
const LOOK_AGAIN_MS = 5000

/** Tells what is stored about a number, and forgets one. */
export function PersonalDataPage() {
  const { t } = useTranslation()
  return (
    <Stack>
      <PageTitle>{t('PERSONAL_DATA.TITLE')}</PageTitle>
      <NumberForm />
      <Requests />
    </Stack>
  )
}

function NumberForm() {
  const { t } = useTranslation()
  const forget = useAction('POST /personal-data/forget', {
    success: 'PERSONAL_DATA.REQUESTED',
    failure: 'PERSONAL_DATA.FORGET_FAILED',
  })
  const { form, onSubmit } = useContractForm(NumberToFind, {
    initialValues: { phoneNumber: '' },
    isGuarded: false,
    send: async (body) => {
      const isSure = await confirm({
        title: t('PERSONAL_DATA.CONFIRM_TITLE', { number: body.phoneNumber }),
        message: t('PERSONAL_DATA.CONFIRM'),
        confirmText: t('PERSONAL_DATA.FORGET'),
        confirmColor: 'red',
      })
      if (!isSure) return
      await forget.mutateAsync({ body })
      form.reset()
    },
  })
  const body = () => form.getTransformedValues()
  return (
    <Section title={t('PERSONAL_DATA.OF_NUMBER')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('PERSONAL_DATA.HINT')}
          </Text>
          <TextInput
            label={t('PERSONAL_DATA.NUMBER')}
            type="tel"
            required
            autoComplete="off"
            maw={320}
            {...form.getInputProps('phoneNumber')}
          />
          <Group>
            <DownloadButton
              text={t('PERSONAL_DATA.EXPORT')}
              words={{ success: 'PERSONAL_DATA.EXPORTED', failure: 'PERSONAL_DATA.EXPORT_FAILED' }}
              save={() =>
                download(
                  'POST /personal-data/export',
                  { body: body() },
                  `PersonalData_${dayOf(new Date())}.json`,
                )
              }
            />
            <Button
              type="submit"
              color="red"
              variant="light"
              leftSection={<IconTrash size={16} aria-hidden />}
              loading={form.submitting}
            >
              {t('PERSONAL_DATA.FORGET')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function Requests() {
  const { t } = useTranslation()
  const { data, isPending, isError, refetch } = useRead(
    'GET /personal-data/forget-requests',
    {},
    { refetchInterval: LOOK_AGAIN_MS },
  )
  return (
    <Section title={t('PERSONAL_DATA.REQUESTS')}>
      {isPending && <Loading height={LOADING_HEIGHT} />}
      {isError && <LoadFailed retry={refetch} />}
      {data?.length === 0 && <Text c="dimmed">{t('PERSONAL_DATA.NO_REQUESTS')}</Text>}
      {data && data.length > 0 && <Table label={t('PERSONAL_DATA.REQUESTS')} columns={columns} rows={data} />}
    </Section>
  )
}

const columns: Column<ForgetRequest>[] = [
  {
    header: 'PERSONAL_DATA.REQUESTED_AT',
    isOneLine: true,
    cell: ({ requestedAt }) => formatDateTime(requestedAt),
  },
  { header: 'PERSONAL_DATA.REQUESTED_BY', cell: ({ requestedBy }) => requestedBy },
  { header: 'PERSONAL_DATA.NUMBER', cell: ({ phoneNumber }) => phoneNumber ?? '–' },
  { header: 'PERSONAL_DATA.STATE', cell: (row) => <State row={row} /> },
]

function State({ row: { doneAt, unsettled, erased } }: { row: ForgetRequest }) {
  const { t } = useTranslation()
  if (doneAt)
    return (
      <>
        <Badge variant="light" color="green">
          {t('PERSONAL_DATA.DONE')}
        </Badge>
        <Text size="sm" c="dimmed">
          {t('PERSONAL_DATA.DONE_HINT', { time: formatDateTime(doneAt), number: formatNumber(erased) })}
        </Text>
      </>
    )
  return (
    <>
      <Badge variant="light" color="orange">
        {t(unsettled > 0 ? 'PERSONAL_DATA.WAITS' : 'PERSONAL_DATA.RUNS')}
      </Badge>
      <Text size="sm" c="dimmed">
        {unsettled > 0
          ? t('PERSONAL_DATA.WAITS_HINT', { number: formatNumber(unsettled) })
          : t('PERSONAL_DATA.RUNS_HINT')}
      </Text>
    </>
  )
}
