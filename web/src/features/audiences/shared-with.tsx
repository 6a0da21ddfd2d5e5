import type { Named } from '@sendroom/contract/values'
import { useTranslation } from 'react-i18next'
import { enumerated } from '../../i18n/punctuation.ts'
import { Name } from '../../ui/name.tsx'

/** With whom a list or a set is shared. */
export function SharedWith({ isForAll, users }: { isForAll: boolean; users: Named[] }) {
  const { t } = useTranslation()
  // A narrow column would break Chinese words into single characters.
  if (isForAll) return <span style={{ whiteSpace: 'nowrap' }}>{t('LIST.SHARED_ALL')}</span>
  if (users.length === 0) return '–'
  return <Name>{enumerated(users.map(({ name }) => name))}</Name>
}
