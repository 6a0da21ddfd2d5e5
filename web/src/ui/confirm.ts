import { useSyncExternalStore } from 'react'

/** A checkbox below the question, and what it means. */
type Option = {
  label: string
  hint: string
  /** Without it there is nothing to confirm. */
  isRequired?: boolean
}

type Question = {
  title?: string
  message?: string
  confirmText?: string
  cancelText?: string
  /** The confirm button's style: a color of the theme. */
  confirmColor?: string
  option?: Option
}
type Answer = { isConfirmed: boolean; isOptionChosen: boolean }
type Asked = Question & { answer: (answer: Answer) => void }

const cancelled: Answer = { isConfirmed: false, isOptionChosen: false }

let asked: Asked | null = null
const listeners = new Set<() => void>()

/** Asks before something that can't be undone. False when it is cancelled or closed. */
export const confirm = async (question: Question = {}) => (await confirmWith(question)).isConfirmed

/** The same for a question with an option. */
export const confirmWith = (question: Question) =>
  new Promise<Answer>((resolve) => {
    asked?.answer(cancelled)
    ask({
      ...question,
      answer: (answer) => {
        ask(null)
        resolve(answer)
      },
    })
  })

/** Nobody answers it any more. */
export const dropQuestion = () => asked?.answer(cancelled)

/** The question that is open now; `ConfirmDialog` shows it. */
export const useQuestion = () => useSyncExternalStore(subscribe, () => asked)

function ask(next: Asked | null) {
  asked = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
