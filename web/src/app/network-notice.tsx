import { IconCloudOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useConnection, waitUntilReady } from '../api/network.ts'
import classes from './shell.module.css'

/** Shows that the server can't be reached or is not ready. Once it is back, queries that failed are read again. */
export function NetworkNotice() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const connection = useConnection()
  useEffect(() => {
    if (connection === 'good')
      queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
    if (connection !== 'unavailable') return
    const stopping = new AbortController()
    waitUntilReady(stopping.signal)
    return () => stopping.abort()
  }, [connection, queryClient])
  return (
    <div role="status" className={classes.network}>
      {connection !== 'good' && (
        <p className={classes.notice}>
          <IconCloudOff size={18} aria-hidden />
          {t(connection === 'unavailable' ? 'COMMON.NOT_AVAILABLE' : 'COMMON.NO_CONNECTION')}
        </p>
      )}
    </div>
  )
}
