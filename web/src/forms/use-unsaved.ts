import { useBlocker, useLocation } from '@tanstack/react-router'
import i18next from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { currentUser, onCurrentUser, onSignOut } from '../api/session.ts'
import { confirm } from '../ui/confirm.ts'
import { addToast } from '../ui/toasts.ts'

/**
 * Values of forms that the user lost when the session ended, or left before a failed send. In memory only, until the
 * tab is reloaded.
 */
const kept = new Map<string, { userId: number; values: unknown }>()
let hasSignedOut = false
/** For each form on the page, whether it has unsaved values. */
const open = new Set<() => boolean>()

onCurrentUser(() => {
  const now = currentUser()
  if (now === null) return
  hasSignedOut = false
  for (const [key, { userId }] of kept) if (userId !== now.id) kept.delete(key)
})

/** Keeps a form's values for this user. Other users never see them. */
export function keepValues(key: string, values: unknown, userId: number | undefined) {
  const isOthers = currentUser() !== null && currentUser()?.id !== userId
  if (userId !== undefined && !hasSignedOut && !isOthers) kept.set(key, { userId, values })
}

// A sign-out forgets what was typed in this tab, unless the user rather stays with unsaved values.
onSignOut(async () => {
  const isUnsaved = [...open].some((isFormUnsaved) => isFormUnsaved())
  if (isUnsaved && !(await askToLeave())) return false
  hasSignedOut = true
  kept.clear()
  return true
})

const askToLeave = () =>
  confirm({
    title: i18next.t('FORM.UNSAVED_TITLE'),
    message: i18next.t('FORM.UNSAVED'),
    confirmText: i18next.t('FORM.LEAVE'),
    cancelText: i18next.t('FORM.STAY'),
    confirmColor: 'red',
  })

/** The initial values of a form: the kept ones, or else `defaults`. `key` identifies the form. */
export function useKeptValues<Values extends object>(defaults: Values) {
  const pathname = useLocation({ select: (location) => location.pathname })
  const [key] = useState(`${pathname} ${Object.keys(defaults)}`)
  const [found] = useState(() => {
    const draft = kept.get(key)
    // The cast is safe: the key contains the names of the fields.
    return draft?.userId === currentUser()?.id ? (draft?.values as Values | undefined) : undefined
  })
  useEffect(() => {
    if (kept.delete(key) && found) addToast({ type: 'info', msg: i18next.t('FORM.RESTORED') })
  }, [key, found])
  return { key, values: found ?? defaults }
}

type Unsaved<Values> = {
  key: string
  values: () => Values
  isUnsaved: () => boolean
  /** Whether leaving needs no question at the moment. */
  mayLeave: () => boolean
}

/**
 * Guards unsaved values. Leaving the page asks first: inside the app with our own dialog, on a reload with the
 * browser's. The end of the session keeps the values instead, and so does the loss of the right to the form.
 */
export function useUnsaved<Values>(unsaved: Unsaved<Values>) {
  const { key, isUnsaved, mayLeave } = unsaved
  const hasGivenUp = useRef(false)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isSamePage = current.pathname === next.pathname
      if (isSamePage || currentUser() === null || mayLeave() || !isUnsaved()) return false
      hasGivenUp.current = await askToLeave()
      return !hasGivenUp.current
    },
    // A reload always asks: it loses the kept values and may abort the sending.
    enableBeforeUnload: isUnsaved,
  })
  const latest = useRef(unsaved)
  useEffect(() => {
    latest.current = unsaved
  })
  useEffect(() => {
    const before = currentUser()
    const isFormUnsaved = () => latest.current.isUnsaved()
    open.add(isFormUnsaved)
    return () => {
      open.delete(isFormUnsaved)
      const hasChanged = JSON.stringify(currentUser()) !== JSON.stringify(before)
      // A send goes on without its form, and keeps the values itself if it fails.
      const hasLeft = hasGivenUp.current || latest.current.mayLeave()
      const isShutOut = currentUser() === null || (hasChanged && !hasLeft)
      if (isShutOut && isFormUnsaved()) keepValues(key, latest.current.values(), before?.id)
    }
  }, [key])
}
