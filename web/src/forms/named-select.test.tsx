import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../test/instance.ts'
import { messageRow } from '../../test/message.ts'
import { renderApp } from '../../test/render.tsx'
import { pageOf, refuse } from '../../test/server.ts'

test.each([
  ['Account', 'Shop'],
  ['Message', '#5 Hello'],
])('%s: options that could not be loaded are read again when the drop-down opens', async (label, option) => {
  const failed = refuse(500, 'internal')
  const tries = {
    'GET /instances': [failed, pageOf([instance])],
    'GET /messages': [failed, pageOf([messageRow])],
  }
  const { person } = renderApp({
    path: '/jobs/new',
    answers: {
      'GET /instances': () => tries['GET /instances'].shift() ?? pageOf([]),
      'GET /messages': () => tries['GET /messages'].shift() ?? pageOf([]),
    },
  })
  const select = await screen.findByRole('combobox', { name: label })
  await waitFor(() => expect(select).toHaveProperty('placeholder', 'Loading failed.'))
  await person.click(select)
  expect(await screen.findByRole('option', { name: option })).toBeTruthy()
})
