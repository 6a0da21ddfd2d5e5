import { DEFAULT_THEME, MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { beforeAll, expect, test, vi } from 'vitest'
import { serve } from '../../../test/server.ts'
import { showLanguage } from '../../i18n/i18n.ts'
import { JobChart } from './job-chart.tsx'

type Drawn = {
  type: string
  options: Record<string, unknown>
  data: { labels: string[]; datasets: Record<string, unknown>[] }
}

/** happy-dom can't draw: what the library is told is looked at instead. */
const drawn = vi.hoisted((): { chart?: Drawn } => ({}))
vi.mock('chart.js', () => {
  class Chart {
    static register() {}
    type: string
    options: Record<string, unknown>
    data: Drawn['data']
    constructor(_: unknown, { type, options, data }: Drawn) {
      this.type = type
      this.options = options
      this.data = data
      drawn.chart = this
    }
    update() {}
    destroy() {}
  }
  return { Chart, ArcElement: {}, DoughnutController: {}, Legend: {}, Tooltip: {} }
})

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

test('[R-373] [R-374] [R-375] the doughnut, its legend, and its slices with their colors', () => {
  render(
    <MantineProvider env="test">
      <JobChart stats={stats} />
    </MantineProvider>,
  )
  const { yellow, green, red, cyan } = DEFAULT_THEME.colors
  expect(drawn.chart).toMatchObject({
    type: 'doughnut',
    options: { responsive: true, maintainAspectRatio: false, plugins: { legend: { position: 'bottom' } } },
    data: {
      labels: ['Pending', 'Completed', 'Failed', 'Running'],
      datasets: [{ data: [1, 2, 3, 4], backgroundColor: [yellow[5], green[7], red[7], cyan[6]] }],
    },
  })
  const words = 'Job status overview. Pending: 1, Completed: 2, Failed: 3, Running: 4'
  expect(screen.getByRole('img', { name: words })).toBeTruthy()
})
