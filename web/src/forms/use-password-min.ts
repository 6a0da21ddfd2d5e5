import { useEffect } from 'react'
import { call } from '../api/client.ts'
import { setPasswordMin } from '../i18n/i18n.ts'

/** Asks the server for the least length of a password, which the errors of password fields name. */
export function usePasswordMin() {
  useEffect(() => {
    const leaving = new AbortController()
    call('GET /auth/options', {}, leaving.signal)
      .then(({ passwordMin }) => setPasswordMin(passwordMin))
      // The server refuses a password that is too short, too.
      .catch(() => {})
    return () => leaving.abort()
  }, [])
}
