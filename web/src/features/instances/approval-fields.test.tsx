import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance, wholeInstance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { pageOf, refuse } from '../../../test/server.ts'
import { fillIn } from '../../../test/steps.ts'

async function open(approverCount: number, saved: () => typeof wholeInstance | ReturnType<typeof refuse>) {
  const app = renderApp({
    path: '/instances/edit/1',
    answers: {
      'GET /instances': () => pageOf([instance]),
      'GET /instances/:id': () => ({ ...wholeInstance, approverCount }),
      'PUT /instances/:id': saved,
    },
  })
  await screen.findByLabelText(/^Name/)
  return {
    ...app,
    choose: (name: RegExp) => app.person.click(screen.getByRole('radio', { name })),
    save: () => app.person.click(screen.getByRole('button', { name: 'Save' })),
    bodies: () => app.requests.filter(({ name }) => name === 'PUT /instances/:id').map(({ body }) => body),
  }
}
const number = () => screen.getByLabelText('Recipients without approval')

// R-1530
test('an account asks for approval above a number of recipients', async () => {
  const { person, choose, save, bodies } = await open(2, () => wholeInstance)
  expect(screen.getByRole('radio', { name: 'Never' })).toHaveProperty('checked', true)
  await choose(/exceed 100 recipients/)
  await fillIn(person, number(), '0')
  await save()
  expect(await screen.findByText('Enter a whole number from 1 to 100,000.')).toBeTruthy()
  await fillIn(person, number(), '250')
  expect(screen.getByRole('radio', { name: /exceed 250 recipients/ })).toHaveProperty('checked', true)
  expect(screen.queryByText(/Fewer than two/)).toBeNull()
  await save()
  await waitFor(() => expect(bodies()).toMatchObject([{ approval: 'above', approvalAbove: 250 }]))
})

// R-1530
test('a wrong number does not keep another rule from being saved', async () => {
  const { person, choose, save, bodies } = await open(2, () => wholeInstance)
  await choose(/exceed 100 recipients/)
  await person.clear(number())
  await choose(/^Always/)
  await save()
  await waitFor(() => expect(bodies()).toMatchObject([{ approval: 'always', approvalAbove: 100 }]))
})

// R-1531
test('where one user at most can approve, the form warns, and shows the refusal at the field', async () => {
  const { choose, save } = await open(1, () => refuse(409, 'approval_needs_two'))
  await choose(/^Always/)
  expect(screen.getByText(/Fewer than two active users can approve/)).toBeTruthy()
  await save()
  const group = screen.getByRole('radiogroup', { name: 'Approval before sending' })
  await waitFor(() => expect(group.parentElement?.textContent).toContain('Approval needs two active users'))
  expect(screen.getByRole('radio', { name: 'Always' })).toHaveProperty('checked', true)
})
