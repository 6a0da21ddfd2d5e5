import type { LinkProps } from '@tanstack/react-router'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { currentUser } from './session.ts'

/** Leaves a page that could not be loaded. After the end of a session it stays, so that the login returns to it. */
export function useRedirectOnFailure(hasFailed: boolean, to: LinkProps['to']) {
  const navigate = useNavigate()
  useEffect(() => {
    if (hasFailed && currentUser() !== null) navigate({ to })
  }, [hasFailed, navigate, to])
}
