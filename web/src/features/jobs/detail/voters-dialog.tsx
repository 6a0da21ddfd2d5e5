import { NativeSelect, Text } from '@mantine/core'
import type { PollVoter } from '@sendroom/contract/job-poll'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { enumerated } from '../../../i18n/punctuation.ts'
import { PageEnd } from '../../../lists/page-end.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import classes from './members-dialog.module.css'
import { Person } from './members-dialog.tsx'

type Props = { jobId: number; options: string[]; recipient: JobRecipient; onClose: () => void }

/** Lists who of a group has voted, and for what. */
export function VotersDialog({ jobId, options, recipient, onClose }: Props) {
  const { t } = useTranslation()
  const [option, setOption] = useState('')
  const [paging, setPaging] = useState({ page: 1, pageSize: 25 })
  const result = useVoters(jobId, recipient.id, { ...paging, ...(option && { option }) })
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  const { data } = result
  return (
    <Dialog size="lg" title={t('JOB.VOTERS_OF', { name: recipient.recipientName })} onClose={onClose}>
      <NativeSelect
        label={t('JOB.POLL_ANSWER')}
        mb="sm"
        value={option}
        onChange={({ currentTarget }) => {
          setOption(currentTarget.value)
          setPaging({ ...paging, page: 1 })
        }}
        data={[
          { value: '', label: t('JOB.FILTER_ALL') },
          ...options.map((name) => ({ value: name, label: name })),
        ]}
      />
      {data && data.data.length > 0 && (
        <Voters voters={data.data} options={options} isBusy={result.isPlaceholderData} />
      )}
      <PageEnd result={result} empty="JOB.NO_VOTERS" onPage={setPaging} />
    </Dialog>
  )
}

type Query = { page: number; pageSize: number; option?: string }

const useVoters = (id: number, recipientId: number, query: Query) =>
  useQuery({
    queryKey: ['jobs', 'rows', id, 'voters', recipientId, query],
    queryFn: ({ signal }) =>
      call('GET /jobs/:id/recipients/:recipientId/voters', { params: { id, recipientId }, query }, signal),
    placeholderData: keepPreviousData,
    meta: { isQuiet: true },
  })

type VotersProps = { voters: PollVoter[]; options: string[]; isBusy: boolean }

function Voters({ voters, options, isBusy }: VotersProps) {
  const inOrder = (chosen: string[]) => options.filter((name) => chosen.includes(name))
  return (
    <ul className={classes.members} aria-busy={isBusy}>
      {voters.map((voter) => (
        <li key={voter.personId}>
          <Person member={voter} />
          <Text size="sm" ta="end" className={classes.answers}>
            {enumerated(inOrder(voter.options))}
          </Text>
        </li>
      ))}
    </ul>
  )
}
