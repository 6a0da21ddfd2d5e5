import { createStore, useStore } from './store.ts'

/** A checkbox below the question. */
type Option = {
  label: string
  hint: string
  /** The confirm button stays disabled until the checkbox is ticked. */
  isRequired?: boolean
}

type Question = {
  title?: string
  message?: string
  confirmText?: string
  cancelText?: string
  /** The confirm button's color, from the theme. */
  confirmColor?: string
  option?: Option
}
type Answer = { isConfirmed: boolean; isOptionChosen: boolean }
type OpenQuestion = Question & { answer: (answer: Answer) => void }

const cancelled: Answer = { isConfirmed: false, isOptionChosen: false }

const openQuestion = createStore<OpenQuestion | null>(null)

/** Asks before an action that can't be undone. Resolves to false if the dialog is cancelled or closed. */
export const confirm = async (question: Question = {}) => (await confirmWith(question)).isConfirmed

/** Like `confirm`, for a question with an option. An open question is cancelled first. */
export const confirmWith = (question: Question) =>
  new Promise<Answer>((resolve) => {
    dismissQuestion()
    openQuestion.set({
      ...question,
      answer: (answer) => {
        openQuestion.set(null)
        resolve(answer)
      },
    })
  })

/** Cancels the open question, if there is one. */
export const dismissQuestion = () => openQuestion.get()?.answer(cancelled)

/** The open question, for `ConfirmDialog`. */
export const useQuestion = () => useStore(openQuestion)
