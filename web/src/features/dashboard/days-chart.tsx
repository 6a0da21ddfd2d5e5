import type { DashboardDay } from '@sendroom/contract/dashboard'
import { useTranslation } from 'react-i18next'
import { formatDate, formatNumber } from '../../format.ts'
import { enumerated, labelled } from '../../i18n/punctuation.ts'
import classes from './days.module.css'
import { instantOf, nameOf, type Outcome, outcomes, sumOf } from './days-outcomes.ts'

const HEIGHT = 100
/** A day's place in the chart, and the width of its bar. */
const STEP = 10
const BAR = 7

/**
 * A bar for each day: what was read is part of what was delivered, and that of what was sent. Failures stand on top.
 */
export function DaysChart({ days }: { days: DashboardDay[] }) {
  const { t } = useTranslation()
  const most = roundUp(Math.max(...days.map(({ sent, failed }) => sent + failed)))
  const numbersOf = (numbers: (outcome: Outcome) => number) =>
    enumerated(outcomes.map((outcome) => labelled(t(nameOf(outcome)), formatNumber(numbers(outcome)))))
  const total = numbersOf((outcome) => sumOf(days, outcome))
  return (
    <div className={classes.chart}>
      <span className={classes.most} aria-hidden>
        {formatNumber(most)}
      </span>
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${t('DASHBOARD.DAYS')}. ${total}`}
      >
        {days.map((day, place) => (
          <g key={day.day} transform={`translate(${place * STEP})`}>
            <title>
              {labelled(
                formatDate(instantOf(day.day)),
                numbersOf((outcome) => day[outcome]),
              )}
            </title>
            <rect width={STEP} height={HEIGHT} fill="transparent" />
            {barsOf(day).map(({ outcome, from, to }) => (
              <rect
                key={outcome}
                x={(STEP - BAR) / 2}
                width={BAR}
                y={HEIGHT - (to * HEIGHT) / most}
                height={((to - from) * HEIGHT) / most}
                className={classes[outcome]}
              />
            ))}
          </g>
        ))}
      </svg>
      <div className={classes.dates} aria-hidden>
        {[0, Math.floor(days.length / 2), days.length - 1].map((place) => (
          <span key={place}>{formatDate(instantOf(days[place]?.day ?? ''))}</span>
        ))}
      </div>
      {/* Hidden from screen readers, because the chart's label has the same numbers. */}
      <ul aria-hidden className={classes.legend}>
        {outcomes.map((outcome) => (
          <li key={outcome}>
            <span className={classes[outcome]} />
            {t(nameOf(outcome))} <strong>{formatNumber(sumOf(days, outcome))}</strong>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Later bars cover earlier ones. */
const barsOf = ({ sent, delivered, read, failed }: DashboardDay) => [
  { outcome: 'sent', from: 0, to: sent } as const,
  { outcome: 'delivered', from: 0, to: delivered } as const,
  { outcome: 'read', from: 0, to: read } as const,
  { outcome: 'failed', from: sent, to: sent + failed } as const,
]

/** The axis ends at a round number: a multiple of 5, 50, 500 … */
function roundUp(value: number): number {
  const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, value))) / 2)
  return Math.max(1, Math.ceil(value / step) * step)
}
