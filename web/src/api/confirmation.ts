import { createStore, useStore } from '../ui/store.ts'

type Answer = (isConfirmed: boolean) => void

const openQuestion = createStore<Answer | null>(null)
let asked: Promise<boolean> | null = null

/** Asks for the password that a call needs. Calls at the same time share the question. Resolves to false on cancel. */
export function askForPassword(): Promise<boolean> {
  asked ??= new Promise((resolve) => {
    openQuestion.set((isConfirmed) => {
      asked = null
      openQuestion.set(null)
      resolve(isConfirmed)
    })
  })
  return asked
}

export const cancelPasswordQuestion = () => openQuestion.get()?.(false)

/** How to answer the open question, for the dialog; null if there is none. */
export const usePasswordQuestion = () => useStore(openQuestion)
