import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { serve } from '../../test/server.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { Loading } from './loading.tsx'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})

const show = (loading: React.ReactNode) => render(<MantineProvider env="test">{loading}</MantineProvider>)
const heightOf = (element: HTMLElement) => getComputedStyle(element).height

//
test('the loading indicator has a default height and text', () => {
  show(<Loading />)
  expect(screen.getByRole('status').textContent).toBe('Loading...')
  expect(heightOf(screen.getByRole('status'))).toBe(heightOf(sized(200)))
})

//
test('the loading indicator takes a height and a text', () => {
  show(<Loading height={120} message="Counting..." />)
  expect(screen.getByRole('status').textContent).toBe('Counting...')
  expect(heightOf(screen.getByRole('status'))).toBe(heightOf(sized(120)))
})

//
test('the loading indicator disappears when nothing loads', () => {
  show(<Loading isLoading={false} />)
  expect(screen.queryByRole('status')).toBeNull()
})

/** An element of this height in pixels, written the way Mantine does. */
function sized(height: number) {
  const element = document.createElement('div')
  element.style.height = `calc(${height / 16}rem * var(--mantine-scale))`
  document.body.append(element)
  return element
}
