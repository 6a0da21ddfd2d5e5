import { Text } from '@mantine/core'
import {
  type JobMember,
  type JobRecipient,
  type MemberState,
  memberStates,
} from '@sendroom/contract/job-rows'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { PageEnd } from '../../../lists/page-end.tsx'
import { useClampPage } from '../../../lists/use-list.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Name } from '../../../ui/name.tsx'
import { FilterButtons } from './filter-buttons.tsx'
import classes from './members-dialog.module.css'

type Filter = MemberState | 'All'
type Props = { jobId: number; recipient: JobRecipient; onClose: () => void }

/** Lists the members of a group with their receipts of a message, those without one first. */
export function MembersDialog({ jobId, recipient, onClose }: Props) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState<Filter>('All')
  const [paging, setPaging] = useState({ page: 1, pageSize: 25 })
  const result = useMembers(jobId, recipient.id, filter === 'All' ? paging : { ...paging, state: filter })
  useClampPage(result, paging.page, (page) => setPaging({ ...paging, page }))
  const { data } = result
  const choose = (chosen: Filter) => {
    setFilter(chosen)
    setPaging({ ...paging, page: 1 })
  }
  const textOf = (name: Filter) => t(name === 'All' ? 'JOB.FILTER_ALL' : `JOB.MEMBER_${name.toUpperCase()}`)
  return (
    <Dialog size="lg" title={t('JOB.MEMBERS_OF', { name: recipient.recipientName })} onClose={onClose}>
      <FilterButtons
        label={t('JOB.FILTER_MEMBERS')}
        filters={(['All', ...memberStates] as const).map((name) => ({ name, text: textOf(name) }))}
        chosen={filter}
        onChoose={choose}
      />
      {data && data.data.length > 0 && (
        <Members members={data.data} isBusy={result.isPlaceholderData} textOf={textOf} />
      )}
      <PageEnd
        result={result}
        empty={filter === 'All' ? 'JOB.MEMBERS_UNKNOWN' : 'JOB.NO_MEMBERS'}
        onPage={setPaging}
      />
    </Dialog>
  )
}

type Query = { page: number; pageSize: number; state?: MemberState }

const useMembers = (id: number, recipientId: number, query: Query) =>
  useQuery({
    queryKey: ['jobs', 'rows', id, 'members', recipientId, query],
    queryFn: ({ signal }) =>
      call('GET /jobs/:id/recipients/:recipientId/members', { params: { id, recipientId }, query }, signal),
    placeholderData: keepPreviousData,
    meta: { isQuiet: true },
  })

type MembersProps = { members: JobMember[]; isBusy: boolean; textOf: (state: MemberState) => string }

function Members({ members, isBusy, textOf }: MembersProps) {
  return (
    <ul className={classes.members} aria-busy={isBusy}>
      {members.map((member) => (
        <li key={member.personId}>
          <Person member={member} />
          <Text size="sm" c={member.state === 'None' ? undefined : 'dimmed'} ta="end">
            {textOf(member.state)}
          </Text>
        </li>
      ))}
    </ul>
  )
}

export function Person({ member: { name, personId } }: { member: Pick<JobMember, 'name' | 'personId'> }) {
  const { t } = useTranslation()
  const number = personId.endsWith('@lid') ? t('JOB.HIDDEN_NUMBER') : `+${personId}`
  return (
    <div>
      <Name>{name ?? number}</Name>
      {name !== null && (
        <Text size="xs" c="dimmed">
          {number}
        </Text>
      )}
    </div>
  )
}
