import { render, screen } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { serve } from '../../../test/server.ts'
import { showLanguage } from '../../i18n/i18n.ts'
import { JobChart } from './job-chart.tsx'

beforeAll(async () => {
  serve({})
  await showLanguage('en')
})

const stats = {
  totalGroups: 0,
  totalMessages: 0,
  totalJobs: 10,
  pendingJobs: 1,
  completedJobs: 2,
  failedJobs: 3,
  runningJobs: 4,
  totalUniqueUsers: 0,
  totalSentMessages: 0,
  topGroups: [],
}
const none = { pendingJobs: 0, completedJobs: 0, failedJobs: 0, runningJobs: 0 }
const color = (name: string) => `var(--mantine-color-${name})`

/** The slices: length and start in percent of the ring, clockwise from the top. */
function slicesOf(numbers: Partial<typeof stats>) {
  const { container, unmount } = render(<JobChart stats={{ ...stats, ...numbers }} />)
  const slices = [...container.querySelectorAll('circle[stroke-dasharray]')].map((circle) => {
    const [length = ''] = (circle.getAttribute('stroke-dasharray') ?? '').split(' ')
    const begin = 25 - Number(circle.getAttribute('stroke-dashoffset'))
    return { length: Number(length), begin, stroke: circle.getAttribute('stroke') }
  })
  unmount()
  return slices
}

//
test('the ring has a slice in its own color for each status', () => {
  const slices = slicesOf({})
  expect(slices.map(({ stroke }) => stroke)).toEqual(['yellow-5', 'green-7', 'red-7', 'cyan-6'].map(color))
  for (const [place, length] of [10, 20, 30, 40].entries())
    expect(Math.abs((slices[place]?.length ?? 0) - length)).toBeLessThan(1)
  for (const [place, begin] of [0, 10, 30, 60].entries())
    expect(Math.abs((slices[place]?.begin ?? 0) - begin)).toBeLessThan(1)
})

test('a single slice fills the ring, a ring without jobs is empty, and a tiny slice is visible', () => {
  const lengths = (numbers: Partial<typeof stats>) => slicesOf(numbers).map(({ length }) => length)
  expect(lengths({ ...none, failedJobs: 7 })).toEqual([0, 0, 100, 0])
  expect(lengths(none)).toEqual([0, 0, 0, 0])
  expect(lengths({ ...none, completedJobs: 999, failedJobs: 1 })[2]).toBeGreaterThan(0)
})

test('a pale ring is shown if all jobs are cancelled', () => {
  const ringsOf = (numbers: Partial<typeof stats>) => {
    const { container } = render(<JobChart stats={{ ...stats, ...numbers }} />)
    return container.querySelectorAll('circle').length
  }
  expect(ringsOf(none)).toBe(5)
  expect(ringsOf({})).toBe(4)
})

//
test('the chart fills its container and has a legend with the numbers below', () => {
  const { container } = render(<JobChart stats={{ ...stats, pendingJobs: 1234 }} />)
  const words = 'Job status overview. Pending: 1234, Completed: 2, Failed: 3, Running: 4'
  const ring = screen.getByRole('img', { name: words })
  expect(['width', 'height'].filter((name) => ring.hasAttribute(name))).toEqual([])
  expect(ring.nextElementSibling?.tagName).toBe('UL')
  const legend = [...container.querySelectorAll('li')].map((item) => item.textContent)
  expect(legend).toEqual(['Pending 1,234', 'Completed 2', 'Failed 3', 'Running 4'])
})
