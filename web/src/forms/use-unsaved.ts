import { useBlocker, useLocation } from '@tanstack/react-router'
import i18next from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { currentUser } from '../api/session.ts'
import { confirm } from '../ui/confirm.ts'
import { addToast } from '../ui/toasts.ts'

/** What somebody had typed into a form they lost: by the end of the session, or by leaving before its sending failed. */
const kept = new Map<string, { userId: number; values: unknown }>()

/** Only the same person finds it there again. */
export function keepValues(key: string, values: unknown, userId: number | undefined) {
  if (userId !== undefined) kept.set(key, { userId, values })
}

/** With what a form begins: what was kept, else `usual`. */
export function useKeptValues<Values extends object>(usual: Values) {
  const pathname = useLocation({ select: (location) => location.pathname })
  const [key] = useState(`${pathname} ${Object.keys(usual)}`)
  const [found] = useState(() => {
    const draft = kept.get(key)
    // It was kept under the names of its fields.
    return draft?.userId === currentUser()?.id ? (draft?.values as Values | undefined) : undefined
  })
  useEffect(() => {
    if (kept.delete(key) && found) addToast({ type: 'info', msg: i18next.t('FORM.RESTORED') })
  }, [key, found])
  return { key, values: found ?? usual }
}

type Unsaved<Values> = {
  key: string
  values: () => Values
  isUnsaved: () => boolean
  /** Nobody is asked now. */
  mayLeave: () => boolean
}

/**
 * Guards what is typed and not saved: leaving the page asks first (inside the app by our dialog, for a reload by the
 * browser's own), and the end of the session keeps it.
 */
export function useUnsaved<Values>(unsaved: Unsaved<Values>) {
  const { key, isUnsaved, mayLeave } = unsaved
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isSamePage = current.pathname === next.pathname
      if (isSamePage || currentUser() === null || mayLeave() || !isUnsaved()) return false
      return !(await confirm({
        title: i18next.t('FORM.UNSAVED_TITLE'),
        message: i18next.t('FORM.UNSAVED'),
        confirmText: i18next.t('FORM.LEAVE'),
        cancelText: i18next.t('FORM.STAY'),
        confirmColor: 'red',
      }))
    },
    // Nothing is kept over a reload, which may also stop the sending.
    enableBeforeUnload: isUnsaved,
  })
  const latest = useRef(unsaved)
  useEffect(() => {
    latest.current = unsaved
  })
  useEffect(() => {
    const userId = currentUser()?.id
    return () => {
      const { values, isUnsaved } = latest.current
      if (currentUser() === null && isUnsaved()) keepValues(key, values(), userId)
    }
  }, [key])
}
