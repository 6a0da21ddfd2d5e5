import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { fields } from '../../../test/contact.ts'
import { renderApp } from '../../../test/render.tsx'
import { type Answers, refuse } from '../../../test/server.ts'
import { fillIn, isDisabled } from '../../../test/steps.ts'
import './field-form-page.tsx'
import './fields-page.tsx'

const [city] = fields
const open = (path: string, more: Answers = {}) =>
  renderApp({ path, answers: { 'GET /contact-fields': () => ({ fields }), ...more } })

//
test('the fields are listed, and one in use can’t be deleted', async () => {
  const { person, requests } = open('/settings/fields', { 'DELETE /contact-fields/:id': () => undefined })
  const used = within(await screen.findByRole('row', { name: /City/ }))
  expect(used.getByText('Huế, Hà Nội')).toBeTruthy()
  expect(isDisabled(used.getByRole('button', { name: 'Delete' }))).toBe(true)
  const unused = within(screen.getByRole('row', { name: /Points/ }))
  await person.click(unused.getByRole('button', { name: 'Delete' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
  await screen.findByText('Field deleted.')
  expect(requests.find(({ name }) => name === 'DELETE /contact-fields/:id')?.params).toEqual({ id: '3' })
})

//
test('a field with choices is defined', async () => {
  const { person, requests, router } = open('/settings/fields/new', {
    'POST /contact-fields': () => city as never,
  })
  await fillIn(person, await screen.findByLabelText(/^Name/), 'Town')
  await fillIn(person, screen.getByLabelText(/^Key/), 'town')
  await person.selectOptions(screen.getByLabelText(/^Type/), 'One of a list')
  await person.type(await screen.findByRole('combobox', { name: /^Choices/ }), 'Huế,Hà Nội,')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(router.state.location.pathname).toBe('/settings/fields'))
  expect(requests.find(({ name }) => name === 'POST /contact-fields')?.body).toEqual({
    name: 'Town',
    key: 'town',
    type: 'choice',
    choices: ['Huế', 'Hà Nội'],
  })
})

//
test('key and type stay, and a choice that a contact has is refused at its field', async () => {
  const { person } = open('/settings/fields/edit/1', {
    'PUT /contact-fields/:id': () => refuse(409, 'contact_choice_used'),
  })
  expect((await screen.findByLabelText<HTMLInputElement>('Key')).disabled).toBe(true)
  await person.type(screen.getByRole('combobox', { name: /^Choices/ }), '{Backspace}')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findAllByText(/Change those contacts first/)).not.toEqual([])
})
