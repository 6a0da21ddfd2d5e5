import type { CalendarDay } from '@sendroom/contract/calendar'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { dayOf } from '../../format.ts'
import { dayByKey, monthOf } from './calendar-days.ts'
import { readCalendarSearch } from './calendar-search.ts'

type Options = { days: CalendarDay[]; month: string; onMonth: (month: string) => void }

/**
 * The keys of a grid of days. The Tab key stops at one of its days, with what that day has in it; arrows, Home and End
 * lead to other days, Page Up and Page Down to other months. Enter leads into a day, Escape back.
 */
export function useDayKeys({ days, month, onMonth }: Options) {
  const grid = useRef<HTMLTableElement>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  /** The day that gets the focus as soon as it is shown. */
  const wanted = useRef<string | null>(null)
  const isShown = (day: string | null) => days.some((shown) => shown.day === day)
  const current = chosen !== null && isShown(chosen) ? chosen : firstDay(days, month)
  const cellOf = (day: string) => grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`) ?? null
  const goTo = (day: string) => {
    setChosen(day)
    wanted.current = day
    if (isShown(day)) return
    const { month: other } = readCalendarSearch({ month: monthOf(day) })
    if (other) onMonth(other)
  }
  useEffect(() => {
    if (wanted.current === null || !isShown(wanted.current)) return
    // The reading of another month takes a moment, in which somebody may have gone elsewhere.
    const { activeElement } = document
    if (activeElement === document.body || grid.current?.contains(activeElement))
      cellOf(wanted.current)?.focus()
    wanted.current = null
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const cell = cellOf(current)
    if (event.key === 'Enter' && event.target === cell) cell?.querySelector<HTMLElement>('a, button')?.focus()
    else if (event.key === 'Escape') cell?.focus()
    else {
      const day = dayByKey(current, event.key)
      if (day === null) return
      goTo(day)
    }
    event.preventDefault()
  }
  return {
    grid: { ref: grid, role: 'grid', onKeyDown },
    cell: (day: string) => ({
      ...{ role: 'gridcell', 'data-day': day, tabIndex: day === current ? 0 : -1 },
      onFocus: () => setChosen(day),
    }),
  }
}

/** Today, or the first day of another month. */
function firstDay(days: CalendarDay[], month: string): string {
  const ofMonth = days.filter(({ day }) => monthOf(day) === month)
  const today = dayOf(new Date())
  return (ofMonth.find(({ day }) => day === today) ?? ofMonth[0] ?? days[0])?.day ?? ''
}
