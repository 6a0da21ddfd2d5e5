import { MantineProvider } from '@mantine/core'
import { IconEye, IconTrash } from '@tabler/icons-react'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { serve } from '../../test/server.ts'
import { isDisabled } from '../../test/steps.ts'
import { showLanguage } from '../i18n/i18n.ts'
import type { Action } from '../ui/row-action.tsx'
import { RowActions } from './row-actions.tsx'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})

const isWide = window.matchMedia
afterEach(() => {
  window.matchMedia = isWide
})

function show(change: Partial<Action> = {}) {
  const onView = vi.fn()
  const onDelete = vi.fn()
  const actions = [
    { label: 'View', icon: IconEye, onClick: onView },
    false as const,
    { label: 'Delete', icon: IconTrash, onClick: onDelete, ...change },
  ]
  render(
    <MantineProvider env="test">
      <RowActions actions={actions} />
    </MantineProvider>,
  )
  return { onView, onDelete, person: userEvent.setup({ delay: null }) }
}

function showOnPhone(change: Partial<Action> = {}) {
  window.matchMedia = (query) => ({ ...isWide(query), matches: query === '(max-width: 48em)' })
  return show(change)
}

/** The buttons outside the menu, which the browser hides until it is opened. */
const words = () =>
  screen
    .getAllByRole('button')
    .filter((button) => !button.closest('[popover]'))
    .map(({ textContent }) => textContent)
const button = (name: string) => screen.getByRole('button', { name })

test('a wide table shows icons with a name', async () => {
  const { onDelete, person } = show()
  expect(screen.queryByText('Delete')).toBeNull()
  await person.click(button('Delete'))
  expect(onDelete).toHaveBeenCalledOnce()
})

//
test('the tooltip shows the name under the mouse, and goes with it', async () => {
  const { person } = show()
  await person.hover(button('Delete'))
  expect(screen.getByText('Delete')).toBeTruthy()
  await person.unhover(button('Delete'))
  expect(screen.queryByText('Delete')).toBeNull()
})

//
test('the tooltip follows the keyboard’s focus, and Escape closes it', async () => {
  const { person } = show()
  await person.tab()
  expect(screen.getByText('View')).toBeTruthy()
  await person.tab()
  expect(screen.queryByText('View')).toBeNull()
  expect(screen.getByText('Delete')).toBeTruthy()
  await person.keyboard('{Escape}')
  expect(screen.queryByText('Delete')).toBeNull()
})

test('the tooltip of a disabled action says why', async () => {
  const { onDelete, person } = show({ reason: 'It is running.' })
  await person.hover(button('Delete'))
  expect(screen.getByText('Delete It is running.')).toBeTruthy()
  await person.click(button('Delete'))
  expect(isDisabled(button('Delete'))).toBe(true)
  expect(onDelete).not.toHaveBeenCalled()
})

test('a phone shows the first action as a word and the others in a menu', async () => {
  const { onView, onDelete, person } = showOnPhone()
  expect(words()).toEqual(['View', 'More'])
  await person.click(button('View'))
  expect(onView).toHaveBeenCalledOnce()

  await person.click(button('More'))
  await person.click(button('Delete'))
  expect(onDelete).toHaveBeenCalledOnce()
  expect(document.activeElement).toBe(button('More'))
})

test('on a phone the next step is the button', () => {
  showOnPhone({ isNext: true })
  expect(words()).toEqual(['Delete', 'More'])
})

// R-2192
test('on a phone an action that a row can never have is a sentence, without a button', () => {
  showOnPhone({ reason: 'It has no members.', isNever: true })
  expect(screen.getByText('It has no members.')).toBeTruthy()
  expect(words()).toEqual(['View'])
})

test('a disabled entry of the menu says why and does nothing', async () => {
  const { onDelete, person } = showOnPhone({ reason: 'It is running.' })
  await person.click(button('More'))
  const entry = screen.getByRole('button', { name: /Delete/ })
  expect(entry.textContent).toBe('DeleteIt is running.')
  expect(isDisabled(entry)).toBe(true)
  await person.click(entry)
  expect(onDelete).not.toHaveBeenCalled()
})
