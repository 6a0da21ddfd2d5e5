import type { CalendarEntry } from '@sendroom/contract/calendar'

type Entry = Pick<
  CalendarEntry,
  'instance' | 'startsAt' | 'endsAt' | 'state' | 'isPaused' | 'review' | 'competes'
>

const open: ReadonlySet<string> = new Set(['Pending', 'Running', 'planned', 'waiting'])

/** An overdue job sends nothing until somebody gives it another time. */
const isOpen = ({ state, isPaused, review }: Entry) => open.has(state) && !isPaused && review !== 'overdue'

/** Marks entries whose sending overlaps on one account. Without a known end an entry counts as a moment. */
export function markCompeting<E extends Entry>(entries: readonly E[]): E[] {
  const competing = new Set<Entry>()
  const latest = new Map<number, { entry: Entry; endsAt: number }>()
  const inOrder = entries.filter(isOpen).toSorted((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt))
  for (const entry of inOrder) {
    const startsAt = Date.parse(entry.startsAt)
    const endsAt = Math.max(startsAt, entry.endsAt === null ? 0 : Date.parse(entry.endsAt))
    const former = latest.get(entry.instance.id)
    // Two that begin at one moment take turns, however short they are.
    const meets = former && (former.endsAt > startsAt || former.entry.startsAt === entry.startsAt)
    if (meets) competing.add(entry).add(former.entry)
    if (!former || endsAt >= former.endsAt) latest.set(entry.instance.id, { entry, endsAt })
  }
  return entries.map((entry) => (competing.has(entry) ? { ...entry, competes: true } : entry))
}
