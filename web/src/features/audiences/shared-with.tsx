import type { Named } from '@sendroom/contract/values'
import { useTranslation } from 'react-i18next'
import { Name } from '../../ui/name.tsx'

/** With whom a list or a set is shared. */
export function SharedWith({ isForAll, users }: { isForAll: boolean; users: Named[] }) {
  const { t } = useTranslation()
  if (isForAll) return t('LIST.SHARED_ALL')
  if (users.length === 0) return '–'
  return <Name>{users.map(({ name }) => name).join(', ')}</Name>
}
