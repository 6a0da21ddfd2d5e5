import { IconCloudOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsConnected } from '../api/network.ts'
import classes from './shell.module.css'

/** Shows that the server can't be reached. Once it is back, queries that failed are read again. */
export function NetworkNotice() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const isConnected = useIsConnected()
  useEffect(() => {
    if (isConnected)
      queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  }, [isConnected, queryClient])
  return (
    <div role="status" className={classes.network}>
      {!isConnected && (
        <p className={classes.notice}>
          <IconCloudOff size={18} aria-hidden />
          {t('COMMON.NO_CONNECTION')}
        </p>
      )}
    </div>
  )
}
