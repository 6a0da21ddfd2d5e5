import type { DashboardStats } from '@sendroom/contract/dashboard'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import { enumerated, labelled } from '../../i18n/punctuation.ts'
import classes from './job-chart.module.css'

/** The gap between two slices, in percent of the ring. */
const GAP = 0.6
/** SVG circles start at the right. This offset moves the first slice to the top, after half a gap. */
const START_OFFSET = 25 - GAP / 2
const ring = { cx: 50, cy: 50, r: 41, strokeWidth: 17, fill: 'none', pathLength: 100 }

/** A ring chart of the Pending, Completed, Failed and Running jobs, with a legend. */
export function JobChart({ stats }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  const slices = placed([
    { label: t('JOB.STATUS_PENDING'), value: stats.pendingJobs, color: 'var(--mantine-color-yellow-5)' },
    { label: t('JOB.STATUS_COMPLETED'), value: stats.completedJobs, color: 'var(--mantine-color-green-7)' },
    { label: t('JOB.STATUS_FAILED'), value: stats.failedJobs, color: 'var(--mantine-color-red-7)' },
    { label: t('JOB.STATUS_RUNNING'), value: stats.runningJobs, color: 'var(--mantine-color-cyan-6)' },
  ])
  const inWords = enumerated(slices.map(({ label, value }) => labelled(label, String(value))))
  return (
    <div className={classes.chart}>
      <svg viewBox="0 0 100 100" role="img" aria-label={`${t('DASHBOARD.JOB_STATUS')}. ${inWords}`}>
        {slices.every(({ length }) => length === 0) && <circle {...ring} className={classes.empty} />}
        {slices.map(({ label, value, color, start, length }) => (
          <circle
            key={label}
            {...ring}
            stroke={color}
            strokeDasharray={`${length} ${100 - length}`}
            strokeDashoffset={START_OFFSET - start}
          >
            <title>{labelled(label, formatNumber(value))}</title>
          </circle>
        ))}
      </svg>
      {/* Hidden from screen readers, because the chart's label has the same numbers. */}
      <ul aria-hidden className={classes.legend}>
        {slices.map(({ label, value, color }) => (
          <li key={label}>
            <span style={{ background: color }} />
            {label} <strong>{formatNumber(value)}</strong>
          </li>
        ))}
      </ul>
    </div>
  )
}

type Slice = { label: string; value: number; color: string }

/** Computes the start and length of each slice in percent. Even a tiny slice stays visible. */
function placed(slices: Slice[]) {
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  let end = 0
  return slices.map((slice) => {
    const start = end
    const share = total === 0 ? 0 : (slice.value * 100) / total
    end += share
    return { ...slice, start, length: share === 100 ? share : Math.max(share - GAP, share / 2) }
  })
}
