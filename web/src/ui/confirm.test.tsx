import { MantineProvider } from '@mantine/core'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { serve } from '../../test/server.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { confirm } from './confirm.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})
beforeEach(() => {
  render(
    <MantineProvider env="test">
      <ConfirmDialog />
    </MantineProvider>,
  )
})

const dialog = async (name = 'Confirm') => within(await screen.findByRole('dialog', { name }))
const button = async (name: string) => (await dialog()).getByRole('button', { name })

//
test('without options the dialog has default texts, and its confirm button resolves to true', async () => {
  const answer = confirm()
  expect((await dialog()).getByText('Are you sure?')).toBeTruthy()
  expect(await button('Cancel')).toBeTruthy()
  fireEvent.click(await button('Confirm'))
  expect(await answer).toBe(true)
})

//
test.each(['Cancel', 'Close'])('the button %s resolves to false', async (name) => {
  const answer = confirm()
  fireEvent.click(await button(name))
  expect(await answer).toBe(false)
  expect(screen.queryByRole('dialog')).toBeNull()
})

//
test('all texts and the color of the confirm button can be set', async () => {
  const answer = confirm({
    title: 'Clear data',
    message: 'All is lost.',
    confirmText: 'Clear',
    cancelText: 'Keep',
    confirmColor: 'red',
  })
  const asked = await dialog('Clear data')
  expect(asked.getByText('All is lost.')).toBeTruthy()
  expect(asked.getByRole('button', { name: 'Keep' })).toBeTruthy()
  const clear = asked.getByRole('button', { name: 'Clear' })
  expect(clear.getAttribute('style')).toContain('red')
  fireEvent.click(clear)
  expect(await answer).toBe(true)
})
