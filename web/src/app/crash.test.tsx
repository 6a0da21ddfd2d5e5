import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '../../test/render.tsx'

vi.mock('../features/users/users-page.tsx', () => ({
  UsersPage: () => {
    throw new Error('broken')
  },
}))

beforeEach(() => {
  // React and the router write there what they caught.
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
})

test('a page that breaks says so in its place, and can be reloaded; the way to the others stays', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue()
  const { person } = renderApp({ path: '/users' })
  expect((await screen.findByRole('alert')).textContent).toContain('This page could not be shown.')
  expect(screen.getByRole('link', { name: 'Groups' })).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Reload' }))
  expect(reload).toHaveBeenCalledOnce()
})
