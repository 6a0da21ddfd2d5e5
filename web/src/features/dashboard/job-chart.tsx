import { type MantineTheme, useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import type { DashboardStats } from '@sendroom/contract/dashboard'
import { ArcElement, Chart, type ChartOptions, DoughnutController, Legend, Tooltip } from 'chart.js'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'

Chart.register(DoughnutController, ArcElement, Legend, Tooltip)

const ANIMATION_MS = 250

/** How many jobs are Pending (yellow), Completed (green), Failed (red) and Running (cyan). */
export function JobChart({ stats }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawn = useRef<Chart<'doughnut'> | null>(null)
  const isDark = useComputedColorScheme() === 'dark'
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false })
  const { colors } = useMantineTheme()
  const slices = [
    { label: t('JOB.STATUS_PENDING'), value: stats.pendingJobs, color: colors.yellow[5] },
    { label: t('JOB.STATUS_COMPLETED'), value: stats.completedJobs, color: colors.green[7] },
    { label: t('JOB.STATUS_FAILED'), value: stats.failedJobs, color: colors.red[7] },
    { label: t('JOB.STATUS_RUNNING'), value: stats.runningJobs, color: colors.cyan[6] },
  ]

  // One chart for all numbers: a new one for each would begin anew with every job that moves on.
  useEffect(() => {
    if (!canvas.current) return
    const labels = slices.map(({ label }) => label)
    const data = slices.map(({ value }) => value)
    const look = { backgroundColor: slices.map(({ color }) => color), borderWidth: 0, spacing: 2 }
    const options = optionsFor(colors, isDark, isStill)
    const chart = drawn.current
    if (!chart) {
      const datasets = [{ data, ...look }]
      drawn.current = new Chart(canvas.current, { type: 'doughnut', data: { labels, datasets }, options })
      return
    }
    chart.options = options
    chart.data.labels = labels
    Object.assign(chart.data.datasets[0] ?? {}, { data, ...look })
    chart.update()
  })
  useEffect(
    () => () => {
      drawn.current?.destroy()
      drawn.current = null
    },
    [],
  )

  const inWords = slices.map(({ label, value }) => `${label}: ${value}`).join(', ')
  return <canvas ref={canvas} role="img" aria-label={`${t('DASHBOARD.JOB_STATUS')}. ${inWords}`} />
}

const optionsFor = (
  colors: MantineTheme['colors'],
  isDark: boolean,
  isStill: boolean,
): ChartOptions<'doughnut'> => ({
  responsive: true,
  maintainAspectRatio: false,
  cutout: '65%',
  animation: isStill ? false : { duration: ANIMATION_MS },
  plugins: {
    legend: {
      position: 'bottom',
      labels: {
        color: isDark ? colors.dark[1] : colors.gray[8],
        ...{ usePointStyle: true, boxWidth: 8, boxHeight: 8, padding: 12 },
      },
    },
  },
})
