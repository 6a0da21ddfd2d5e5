import type { Quotas } from '@sendroom/contract/quotas'
import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '../../../test/render.tsx'
import { showLanguage } from '../../i18n/i18n.ts'

const initial: Quotas = {
  recipientsPerUser: 400_000,
  recipientsPerInstance: 500_000,
  syncsPerDay: 20,
  searchesAtOnce: 4,
  imageMegabytesPerUser: 5000,
}

test('limits are shown in each language', async () => {
  renderApp({ path: '/settings/limits', answers: { 'GET /quotas': () => initial } })
  const ofUser = await screen.findByLabelText(/Recipients of a user/)
  await act(() => showLanguage('vi'))
  expect(ofUser).toHaveProperty('value', '400.000')
})

//
test('limits are shown with separators, typed without, and none may be empty', async () => {
  const { person, requests } = renderApp({
    path: '/settings/limits',
    answers: { 'GET /quotas': () => initial, 'PUT /quotas': () => initial },
  })
  const ofUser = await screen.findByLabelText(/Recipients of a user/)
  expect(ofUser).toHaveProperty('value', '400,000')
  await person.clear(ofUser)
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Enter a whole number from 1 to 1,000,000,000.')

  await person.type(ofUser, '250000')
  expect(ofUser).toHaveProperty('value', '250,000')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Limits saved.')
  expect(requests.find(({ name }) => name === 'PUT /quotas')?.body).toEqual({
    ...initial,
    recipientsPerUser: 250_000,
  })
})
