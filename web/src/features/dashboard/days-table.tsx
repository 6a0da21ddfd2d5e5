import type { DashboardDay } from '@sendroom/contract/dashboard'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate, formatNumber } from '../../format.ts'
import classes from './days.module.css'
import { instantOf, nameOf, outcomes } from './days-outcomes.ts'

/** The numbers of the chart, for reading and for screen readers. The newest day comes first. */
export function DaysTable({ days }: { days: DashboardDay[] }) {
  const { t } = useTranslation()
  // A slow phone would render thirty rows that nobody sees.
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className={classes.summary}>{t('DASHBOARD.DAYS_TABLE')}</summary>
      {isOpen && <Rows days={days} />}
    </details>
  )
}

function Rows({ days }: { days: DashboardDay[] }) {
  const { t } = useTranslation()
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={t('DASHBOARD.DAYS')}>
        <thead>
          <tr>
            <th>{t('DASHBOARD.DAY')}</th>
            {outcomes.map((outcome) => (
              <th key={outcome}>{t(nameOf(outcome))}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((row) => (
            <tr key={row.day}>
              <th scope="row">{formatDate(instantOf(row.day))}</th>
              {outcomes.map((outcome) => (
                <td key={outcome}>{formatNumber(row[outcome])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
