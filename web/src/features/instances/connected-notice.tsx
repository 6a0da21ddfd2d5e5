import { Alert } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'

const POLL_MS = 3000

/** Whether the account is connected by now; asks every three seconds until it is. */
export function useIsConnected(id: number): boolean {
  const queryClient = useQueryClient()
  const { data } = useRead(
    'GET /instances/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) => (state.data?.status === 'Connected' ? false : POLL_MS),
      // What was known before this dialog opened may be out of date.
      gcTime: 0,
      meta: { isQuiet: true },
    },
  )
  const isConnected = data?.status === 'Connected'
  useEffect(() => {
    if (isConnected) queryClient.invalidateQueries({ queryKey: ['instances', 'list'] })
  }, [isConnected, queryClient])
  return isConnected
}

export function ConnectedNotice() {
  const { t } = useTranslation()
  return (
    <Alert color="green" icon={<IconCheck size={18} aria-hidden />} role="status">
      {t('ACCOUNT.CONNECTED_NOW')}
    </Alert>
  )
}
