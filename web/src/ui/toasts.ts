import { useSyncExternalStore } from 'react'

export type ToastTheme = 'default' | 'material' | 'bootstrap'
export type ToastType = 'default' | 'info' | 'success' | 'wait' | 'warning' | 'error'

export type Toast = {
  id: number
  title: string
  msg: string
  showClose: boolean
  /** Shows how much of its time is left. */
  showDuration: boolean
  theme: ToastTheme
  /** In milliseconds. */
  timeout: number
  type: ToastType
}

export const TOAST_LIMIT = 5
const defaults = {
  title: '',
  msg: '',
  showClose: true,
  showDuration: false,
  theme: 'default',
  timeout: 5000,
  type: 'default',
} as const

let toasts: Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a toast until its time is over; beyond five the oldest goes. Throws if it says nothing. */
export function addToast(options: Partial<Omit<Toast, 'id'>>) {
  if (!options.title && !options.msg) throw new Error('A toast needs a title or a message.')
  lastId += 1
  const toast: Toast = { ...defaults, ...options, id: lastId }
  change([...toasts, toast].slice(-TOAST_LIMIT))
  setTimeout(() => removeToast(toast.id), toast.timeout)
}

export const removeToast = (id: number) => change(toasts.filter((toast) => toast.id !== id))

export const currentToasts = () => toasts

export const useToasts = () => useSyncExternalStore(subscribe, currentToasts)

function change(next: Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
