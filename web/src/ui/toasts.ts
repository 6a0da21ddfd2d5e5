import { createStore, useStore } from './store.ts'

export type ToastTheme = 'default' | 'material' | 'bootstrap'
export type ToastType = 'default' | 'info' | 'success' | 'wait' | 'warning' | 'error'

export type Toast = {
  id: number
  title: string
  msg: string
  showClose: boolean
  /** Shows a bar that runs out with the timeout. */
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

const toasts = createStore<Toast[]>([])
let lastId = 0

/**
 * Shows a toast for its timeout. Takes the place of one that says the same, because several calls may fail for the same
 * reason. A sixth toast replaces the oldest. Throws without a title and a message.
 */
export function addToast(options: Partial<Omit<Toast, 'id'>>) {
  if (!options.title && !options.msg) throw new Error('A toast needs a title or a message.')
  lastId += 1
  const toast: Toast = { ...defaults, ...options, id: lastId }
  const others = toasts.get().filter((other) => !saysTheSame(other, toast))
  toasts.set([...others, toast].slice(-TOAST_LIMIT))
  setTimeout(() => removeToast(toast.id), toast.timeout)
}

const saysTheSame = (a: Toast, b: Toast) => a.type === b.type && a.title === b.title && a.msg === b.msg

export const removeToast = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

export const currentToasts = toasts.get

export const useToasts = () => useStore(toasts)
