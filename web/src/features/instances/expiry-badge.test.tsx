import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { instance } from '../../../test/instance.ts'
import { renderApp } from '../../../test/render.tsx'
import { pageOf } from '../../../test/server.ts'
import { formatDate } from '../../format.ts'
import { expiryColor } from './expiry-badge.tsx'

test.each([
  //
  [8, 'gray'],
  //
  [7, 'yellow'],
  //
  [4, 'yellow'],
  //
  [3, 'orange'],
  //
  [0, 'orange'],
  //
  [-1, 'red'],
])('%i days left are shown in %s', (days, color) => {
  expect(expiryColor(days)).toBe(color)
})

test.each([
  //
  [8, 'gray'],
  //
  [5, 'yellow'],
  //
  [1, 'orange'],
  //
  [-2, 'red'],
])('the badge of an instance with %i days left is %s', async (days, color) => {
  const expiredTime = new Date(Date.now() + days * 86_400_000).toISOString()
  renderApp({
    path: '/instances',
    answers: { 'GET /instances': () => pageOf([{ ...instance, expiredTime }]) },
  })
  const cells = within(await screen.findByRole('row', { name: /Shop/ }))
  const badge = cells.getByText(formatDate(expiredTime)).closest<HTMLElement>('[class*=Badge-root]')
  expect(badge?.getAttribute('style')).toContain(`--mantine-color-${color}`)
})
