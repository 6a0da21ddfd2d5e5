import { Group, Stack, Text, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { PossibleOptOut } from '@sendroom/contract/opt-outs'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { Failure, fieldTexts } from '../../api/failure.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../format.ts'
import { Pagination } from '../../lists/pagination.tsx'
import { useClampPage } from '../../lists/use-list.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { ignoreDoubleClick } from '../../ui/button-props.ts'
import { giveFocus } from '../../ui/focus.ts'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { addToast } from '../../ui/toasts.ts'
import { PersonCell } from './person-cell.tsx'
import classes from './possible-opt-outs-page.module.css'

const REFRESH_MS = 30_000

/** The messages that may have meant an opt-out. One click decides each. */
export function PossibleOptOutsPage() {
  const { t } = useTranslation()
  const [paging, setPaging] = useState<{ page: number; pageSize: number }>({
    page: 1,
    pageSize: limits.pageSize,
  })
  const result = useQuery({
    queryKey: ['possible-opt-outs', 'list', paging],
    queryFn: ({ signal }) => call('GET /possible-opt-outs', { query: paging }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    meta: { isQuiet: true },
  })
  const { data } = result
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  return (
    <Stack>
      <PageTitle>{t('OPT_OUT.POSSIBLE')}</PageTitle>
      <Text size="sm" c="dimmed">
        {t('OPT_OUT.POSSIBLE_HINT')}
      </Text>
      {result.isPending && <Loading />}
      {result.isError && !data && <LoadFailed retry={() => result.refetch()} />}
      {data?.data.length === 0 && <Text c="dimmed">{t('OPT_OUT.POSSIBLE_EMPTY')}</Text>}
      {data && data.data.length > 0 && (
        <ul className={classes.rows} aria-label={t('OPT_OUT.POSSIBLE')}>
          {data.data.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
      {data && (
        <Pagination
          paging={data.pagination}
          onPage={(page) => setPaging({ ...paging, page })}
          onPageSize={(pageSize) => setPaging({ page: 1, pageSize })}
        />
      )}
    </Stack>
  )
}

function Row({ row }: { row: PossibleOptOut }) {
  const { t } = useTranslation()
  const [phoneNumber, setPhoneNumber] = useState('')
  const item = useRef<HTMLLIElement>(null)
  const { decide, deciding, error } = useDecision(row, item)
  const isUnknown = row.phoneNumber === null && row.lid === null
  return (
    <li ref={item} className={classes.row}>
      <div className={classes.message}>
        <PersonCell row={row} />
        <blockquote className={classes.words}>
          <Name>{row.words}</Name>
        </blockquote>
        <Text size="xs" c="dimmed">
          {formatDateTime(row.saidAt)}
          {' · '}
          {row.instance && (
            <>
              <bdi>{row.instance.name}</bdi>
              {' · '}
            </>
          )}
          {t(`OPT_OUT.WHY_${row.why.toUpperCase()}`)}
        </Text>
        {row.phoneNumber === null && (
          <TextInput
            mt="xs"
            maw="24rem"
            type="tel"
            autoComplete="off"
            maxLength={50}
            label={t('OPT_OUT.WHOSE')}
            description={t(isUnknown ? 'OPT_OUT.WHOSE_HINT' : 'OPT_OUT.WHOSE_LID_HINT')}
            value={phoneNumber}
            error={error}
            onChange={(event) => setPhoneNumber(event.currentTarget.value)}
          />
        )}
      </div>
      <Group gap="xs" className={classes.buttons ?? ''}>
        <BusyButton
          isBusy={deciding === 'optOut'}
          onClick={ignoreDoubleClick(() => decide('optOut', phoneNumber.trim()))}
        >
          {t('OPT_OUT.OPT_OUT')}
        </BusyButton>
        <BusyButton
          variant="default"
          isBusy={deciding === 'nothing'}
          onClick={ignoreDoubleClick(() => decide('nothing'))}
        >
          {t('OPT_OUT.NOTHING')}
        </BusyButton>
      </Group>
    </li>
  )
}

type Choice = 'optOut' | 'nothing'

/** Sends a decision once. If somebody else has decided meanwhile, a toast says so and the message leaves the list. */
function useDecision({ id, version }: PossibleOptOut, item: RefObject<HTMLLIElement | null>) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [deciding, setDeciding] = useState<Choice | null>(null)
  const [error, setError] = useState<string>()
  const optOut = useAction('POST /possible-opt-outs/:id/decide', { success: 'OPT_OUT.DECIDED' }, [
    'opt-outs',
    'contacts',
    'dashboard',
  ])
  const nothing = useAction('POST /possible-opt-outs/:id/decide', { success: 'OPT_OUT.DISMISSED' }, [
    'dashboard',
  ])
  const decide = async (decision: Choice, phoneNumber = '') => {
    if (deciding) return
    // Where a keyboard user goes on after this row is gone.
    const next = item.current?.nextElementSibling?.querySelector('button') ?? null
    setDeciding(decision)
    setError(undefined)
    try {
      const body = { decision, phoneNumber: phoneNumber || undefined, version }
      await (decision === 'optOut' ? optOut : nothing).mutateAsync({ params: { id }, body })
      setTimeout(() => giveFocus(next))
    } catch (failure) {
      setError(fieldTexts(failure).phoneNumber)
      if (failure instanceof Failure && failure.code === 'stale_version') {
        addToast({ type: 'info', msg: t('OPT_OUT.DECIDED_BY_OTHERS') })
        await queryClient.invalidateQueries({ queryKey: ['possible-opt-outs'] })
      }
    }
    setDeciding(null)
  }
  return { decide, deciding, error }
}
