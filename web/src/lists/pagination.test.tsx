import { MantineProvider } from '@mantine/core'
import { paginationOf } from '@sendroom/contract/paging'
import { fireEvent, render, screen } from '@testing-library/react'
import { beforeAll, expect, test, vi } from 'vitest'
import { serve } from '../../test/server.ts'
import { isDisabled } from '../../test/steps.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { Pagination, pageWindow } from './pagination.tsx'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})

function show(page: number, total: number, pageSize = 10) {
  const onPage = vi.fn()
  const onPageSize = vi.fn()
  const paging = paginationOf({ page, pageSize }, total)
  render(
    <MantineProvider env="test">
      <Pagination paging={paging} onPage={onPage} onPageSize={onPageSize} />
    </MantineProvider>,
  )
  return { onPage, onPageSize }
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

//
test('a single page has no pagination', () => {
  show(1, 10)
  expect(screen.queryByRole('navigation')).toBeNull()
})

test.each([
  ['First page', 1],
  ['Previous page', 3],
  ['Next page', 5],
  ['Last page', 9],
  ['Page 2', 2],
  ['Page 6', 6],
  //
])('from page 4 of 9, %s leads to page %i', (name, target) => {
  const { onPage } = show(4, 84)
  fireEvent.click(button(name))
  expect(onPage).toHaveBeenCalledExactlyOnceWith(target)
})

//
test('the pagination shows two pages on each side of the current one', () => {
  show(4, 84)
  const pages = screen.getAllByRole('button', { name: /^Page/ })
  expect(pages.map(({ textContent }) => textContent)).toEqual(['2', '3', '4', '5', '6'])
  expect(button('Page 4').getAttribute('aria-current')).toBe('page')
})

//
test('a click on the current page does nothing', () => {
  const { onPage } = show(4, 84)
  fireEvent.click(button('Page 4'))
  expect(onPage).not.toHaveBeenCalled()
})

test.each([
  [1, ['First page', 'Previous page']],
  [9, ['Next page', 'Last page']],
  //
])('on page %i the buttons that lead beyond the ends are disabled', (page, names) => {
  const { onPage } = show(page, 84)
  for (const name of names) fireEvent.click(button(name))
  expect(onPage).not.toHaveBeenCalled()
  for (const name of names) expect(isDisabled(button(name))).toBe(true)
})

test.each([
  [1, 84, 'Showing 1 to 10 of 84 entries'],
  [9, 84, 'Showing 81 to 84 of 84 entries'],
  [2, 12_345, 'Showing 11 to 20 of 12,345 entries'],
  //
])('page %i of %i entries shows which entries it contains', (page, total, words) => {
  show(page, total)
  expect(screen.getByText(words)).toBeTruthy()
})

//
test('the page size can be changed', () => {
  const { onPageSize } = show(1, 84)
  const select = screen.getByLabelText<HTMLSelectElement>('Entries per page')
  expect([...select.options].map(({ text }) => text)).toEqual(['10', '25', '50', '100'])
  expect(select.value).toBe('10')
  fireEvent.change(select, { target: { value: '25' } })
  expect(onPageSize).toHaveBeenCalledExactlyOnceWith(25)
})

test.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 9, [1, 2, 3, 4, 5]],
  [3, 9, [1, 2, 3, 4, 5]],
  [5, 9, [3, 4, 5, 6, 7]],
  [8, 9, [5, 6, 7, 8, 9]],
  [9, 9, [5, 6, 7, 8, 9]],
  //
])('page %i of %i: the window is %j', (current, total, pages) => {
  expect(pageWindow(current, total)).toEqual(pages)
})
