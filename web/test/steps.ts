import { screen, waitFor, within } from '@testing-library/react'
import { expect } from 'vitest'
import type { renderApp } from './render.tsx'

type Person = ReturnType<typeof renderApp>['person']

/** In a drop-down that can be searched. */
export async function choose(person: Person, label: string, option: string) {
  await person.click(await screen.findByRole('combobox', { name: label }))
  await person.click(await screen.findByRole('option', { name: option }))
}

export async function openPicker(person: Person) {
  const button = await screen.findByRole('button', { name: 'Choose groups' })
  await waitFor(() => expect(button).toHaveProperty('disabled', false))
  await person.click(button)
  return within(await screen.findByRole('dialog'))
}

/** As a screen reader says it: also of a button that stays within reach to tell its reason. */
export const isDisabled = (button: HTMLElement) => button.matches(':disabled, [aria-disabled="true"]')

export async function signIn(person: Person) {
  await person.type(await screen.findByLabelText('Username'), 'minh')
  await person.type(screen.getByLabelText('Password'), 'secret')
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
}

/** As one whose session ended while they filled in a form. */
export async function signInAgain(person: Person) {
  await signIn(person)
  await screen.findByText('What you had typed here is back.')
}
