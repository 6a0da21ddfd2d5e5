import { useState } from 'react'
import { storage } from '../storage.ts'
import type { SessionUser } from './session.ts'

/** Whether the user has hidden the guide of first steps. Stored in the browser per user. */
export function useGuideHidden({ id }: SessionUser) {
  const key = `first-steps-hidden-${id}`
  const [isHidden, setIsHidden] = useState(() => storage.getItem(key) !== null)
  const hide = (hidden: true) => {
    storage.setItem(key, 'yes')
    setIsHidden(hidden)
  }
  return [isHidden, hide] as const
}
