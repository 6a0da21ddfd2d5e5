import { screen, waitFor, within } from '@testing-library/react'
import { expect } from 'vitest'
import type { renderApp } from './render.tsx'

type Person = ReturnType<typeof renderApp>['person']

/** Chooses an option of a searchable drop-down. */
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

/** Whether a button reads as disabled. Includes buttons that can be pressed to show the reason. */
export const isDisabled = (button: HTMLElement) => button.matches(':disabled, [aria-disabled="true"]')

/** Why a button is disabled, as screen readers read it. */
export const reasonOf = (button: HTMLElement) => button.getAttribute('aria-description') ?? button.title

/** Replaces a field's text at once. Typed, each character would draw the form again. */
export async function fillIn(person: Person, field: HTMLElement, text: string) {
  await person.clear(field)
  await person.paste(text)
}

/** Fills in the form of a new user. */
export async function fillUser(person: Person) {
  await fillIn(person, await screen.findByLabelText(/^Username/), 'lan')
  await fillIn(person, screen.getByLabelText(/^Email/), 'lan@example.com')
  await fillIn(person, screen.getByLabelText(/^Password/), 'secret')
}

export async function signIn(person: Person) {
  await fillIn(person, await screen.findByLabelText('Username'), 'minh')
  await fillIn(person, screen.getByLabelText('Password'), 'secret')
  await person.click(screen.getByRole('button', { name: 'Sign in' }))
}

/** Signs in after the session ended while a form was filled in, and waits until its values are restored. */
export async function signInAgain(person: Person) {
  await signIn(person)
  await screen.findByText('Your earlier input is back.')
}
