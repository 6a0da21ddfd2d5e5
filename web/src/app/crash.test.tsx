import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '../../test/render.tsx'

vi.mock('../features/users/users-page.tsx', () => ({
  UsersPage: () => {
    throw new Error('broken')
  },
}))

beforeEach(() => {
  // React and the router log the errors they catch.
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
})

test('a page that throws an error is replaced by a message with a reload button, and the menu stays', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue()
  const { person } = renderApp({ path: '/users' })
  expect((await screen.findByRole('alert')).textContent).toContain('Something went wrong. Reload the page.')
  expect(screen.getByRole('link', { name: 'Groups' })).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Reload' }))
  expect(reload).toHaveBeenCalledOnce()
})
