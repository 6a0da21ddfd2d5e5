import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { useAll } from '../../../api/use-all.ts'
import { formatNumber } from '../../../format.ts'
import { bracketed } from '../../../i18n/punctuation.ts'
import { PAGE_SIZE } from './job-choices.ts'
import { NamedMultiSelect } from './list-select.tsx'

type Props = { instanceId: number; value: number[]; onChange: (ids: number[]) => void; error: ReactNode }

/** Chooses sets of groups of one instance. Nothing without sets. */
export function GroupSetSelect({ instanceId, value, onChange, error }: Props) {
  const { t } = useTranslation()
  const { data: sets = [] } = useAll(
    ['group-sets', 'named', instanceId],
    { pageSize: PAGE_SIZE, words: 'JOB.GROUP_SETS_FAILED', enabled: instanceId !== 0 },
    (page, signal) => call('GET /group-sets', { query: { ...page, instanceId } }, signal),
  )
  if (sets.length === 0) return null
  return (
    <NamedMultiSelect
      label={t('JOB.GROUP_SETS')}
      options={sets.map(({ id, name, groupCount, leftCount }) => ({
        id,
        name: bracketed(name, formatNumber(groupCount - leftCount)),
      }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
