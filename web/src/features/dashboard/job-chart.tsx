import type { DashboardStats } from '@sendroom/contract/dashboard'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import classes from './job-chart.module.css'

/** In percent of the ring. */
const GAP = 0.6
/** A circle begins at its right; the first slice at the top, with half a gap. */
const BEGIN = 25 - GAP / 2
const ring = { cx: 50, cy: 50, r: 41, strokeWidth: 17, fill: 'none', pathLength: 100 }

/** How many jobs are Pending (yellow), Completed (green), Failed (red) and Running (cyan). */
export function JobChart({ stats }: { stats: DashboardStats }) {
  const { t } = useTranslation()
  const slices = placed([
    { label: t('JOB.STATUS_PENDING'), value: stats.pendingJobs, color: 'var(--mantine-color-yellow-5)' },
    { label: t('JOB.STATUS_COMPLETED'), value: stats.completedJobs, color: 'var(--mantine-color-green-7)' },
    { label: t('JOB.STATUS_FAILED'), value: stats.failedJobs, color: 'var(--mantine-color-red-7)' },
    { label: t('JOB.STATUS_RUNNING'), value: stats.runningJobs, color: 'var(--mantine-color-cyan-6)' },
  ])
  const inWords = slices.map(({ label, value }) => `${label}: ${value}`).join(', ')
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
            strokeDashoffset={BEGIN - start}
          >
            <title>{`${label}: ${formatNumber(value)}`}</title>
          </circle>
        ))}
      </svg>
      {/* The picture's name has said it. */}
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

/** Each begins where the one before ends. What is there is seen, however little it is. */
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
