import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadIfIdle } from './reload-if-idle.ts'

const address = window.location.href
const reload = vi.fn()
const showRole = (role: string) => document.body.insertAdjacentHTML('beforeend', `<div role="${role}"></div>`)

beforeEach(() => {
  vi.useFakeTimers()
  reload.mockClear()
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
})
afterEach(() => {
  document.body.innerHTML = ''
  window.history.replaceState(null, '', address)
})

test('a page that is left alone is reloaded after the time', () => {
  reloadIfIdle(3000)
  vi.advanceTimersByTime(2999)
  expect(reload).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(reload).toHaveBeenCalledOnce()
})

test.each<[string, () => unknown]>([
  ['clicks', () => window.dispatchEvent(new Event('click'))],
  ['presses a key', () => window.dispatchEvent(new Event('keydown'))],
  ['types', () => window.dispatchEvent(new Event('input'))],
  ['opens a dialog', () => showRole('dialog')],
  ['opens a menu', () => showRole('menu')],
  ['goes to another page', () => window.history.pushState(null, '', '/elsewhere')],
  [
    'has an unsaved form open',
    () => window.addEventListener('beforeunload', (event) => event.preventDefault(), { once: true }),
  ],
  //
])('a page whose user %s meanwhile is not reloaded', (_, begin) => {
  reloadIfIdle(3000)
  begin()
  vi.advanceTimersByTime(3000)
  expect(reload).not.toHaveBeenCalled()
})
