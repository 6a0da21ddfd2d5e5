import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import i18next from 'i18next'
import { useEffect } from 'react'
import { Failure, failureText } from '../api/failure.ts'
import { waitUntilReady } from '../api/network.ts'
import classes from './crash.module.css'

/** Replaces a page that threw an error or could not be loaded, and the whole app if its user could not be read. */
export const Crash = ({ error }: Pick<ErrorComponentProps, 'error'>) =>
  error instanceof Failure ? <NoUser failure={error} /> : <Broken />

/** English fallbacks: the texts may be missing too. */
const Broken = () => (
  <div role="alert" className={classes.crash}>
    <p>{i18next.t('COMMON.CRASHED') || 'Sendroom could not be loaded. Check your connection.'}</p>
    <button type="button" className={classes.reload} onClick={() => window.location.reload()}>
      {i18next.t('COMMON.RELOAD') || 'Reload'}
    </button>
  </div>
)

/** The words for a server that is away for now. */
function awayWordsOf({ status }: Failure) {
  if (status === 0) return 'COMMON.NO_CONNECTION'
  if (status === 503) return 'COMMON.NOT_AVAILABLE'
}

/** Tries again on demand, and by itself as soon as a server that was away is ready. */
function NoUser({ failure }: { failure: Failure }) {
  const router = useRouter()
  // Each failed attempt is another failure, after which this waits again.
  useEffect(() => {
    if (awayWordsOf(failure) === undefined) return
    const leaving = new AbortController()
    waitUntilReady(leaving.signal).then(() => {
      if (!leaving.signal.aborted) router.invalidate()
    })
    return () => leaving.abort()
  }, [failure, router])
  const away = awayWordsOf(failure)
  return (
    <div role="alert" className={classes.crash}>
      <p>{away === undefined ? failureText(failure) : i18next.t(away)}</p>
      <button type="button" className={classes.reload} onClick={() => router.invalidate()}>
        {i18next.t('COMMON.RETRY')}
      </button>
    </div>
  )
}
