import { fireEvent, render, screen } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { serve } from '../../test/server.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { Toaster } from './toaster.tsx'
import { addToast } from './toasts.ts'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})
//
test('a toast shows all its fields', async () => {
  addToast({
    title: 'Saved',
    msg: 'All of it',
    type: 'success',
    theme: 'material',
    showDuration: true,
    timeout: 60_000,
  })
  addToast({ msg: 'Plain', showClose: false, timeout: 60_000 })
  render(<Toaster />)
  const [rich, plain] = screen.getAllByRole('status')
  expect(rich?.textContent).toContain('Saved')
  expect(rich?.textContent).toContain('All of it')
  expect(rich?.dataset).toMatchObject({ theme: 'material', type: 'success' })
  const bar = [...(rich?.querySelectorAll('div') ?? [])].find((part) => part.style.animationDuration)
  expect(bar?.style.animationDuration).toBe('60000ms')
  expect(plain?.dataset).toMatchObject({ theme: 'default', type: 'default' })
  // Only the first toast has a close button.
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.getAllByRole('status')).toEqual([plain])
})

test('errors are alerts, in a live region that is always rendered', () => {
  render(<Toaster />)
  const region = screen.getByRole('region', { name: 'Notifications' })
  expect(region.getAttribute('aria-live')).toBe('polite')
  addToast({ type: 'error', msg: 'No', timeout: 60_000 })
  return screen.findByRole('alert').then((alert) => expect(region.contains(alert)).toBe(true))
})
