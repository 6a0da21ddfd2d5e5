import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { paths } from '../paths.ts'
import { currentUser } from './session.ts'

/** What can't be loaded gives way to its list. When the session has ended, the login remembers this address. */
export function useWayBack(hasFailed: boolean, to: (typeof paths)[keyof typeof paths]) {
  const navigate = useNavigate()
  useEffect(() => {
    if (hasFailed && currentUser() !== null) navigate({ to })
  }, [hasFailed, navigate, to])
}
