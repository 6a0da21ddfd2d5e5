import { expect, test } from 'vitest'
import { type DueRun, decide } from './due.ts'

const at = (time: string) => `2026-11-30T${time}:00.000Z`
const run = (id: number, time: string, state: DueRun['state'] = 'planned'): DueRun => ({
  id,
  state,
  dueAt: at(time),
})

type Case = {
  name: string
  due: DueRun[]
  isFormerLive?: boolean
  overlap?: 'skip' | 'wait'
  make: number | null
  marks?: Record<number, string>
}

/** At 12:00. */
const cases: Case[] = [
  { name: 'nothing', due: [], make: null },
  { name: 'a run in time', due: [run(1, '12:00')], make: 1 },
  { name: 'one that is two hours late', due: [run(1, '10:00')], make: 1 },
  { name: 'one that is later', due: [run(1, '09:59')], make: null, marks: { 1: 'missed run_late' } },
  {
    name: 'several after an outage: the latest, once',
    due: [run(2, '11:00'), run(1, '10:30'), run(3, '11:30')],
    make: 3,
    marks: { 1: 'missed run_late', 2: 'missed run_late' },
  },
  {
    name: 'several that are all too late',
    due: [run(1, '05:00'), run(2, '09:00')],
    make: null,
    marks: { 1: 'missed run_late', 2: 'missed run_late' },
  },
  {
    name: 'two that quiet hours have moved to one time',
    due: [run(2, '11:30'), run(1, '11:30')],
    make: 2,
    marks: { 1: 'skipped run_replaced' },
  },
  {
    name: 'one while the former job sends',
    due: [run(1, '12:00')],
    isFormerLive: true,
    make: null,
    marks: { 1: 'skipped run_overlaps' },
  },
  {
    name: 'one that may wait for the former job',
    due: [run(1, '12:00')],
    isFormerLive: true,
    overlap: 'wait',
    make: null,
    marks: { 1: 'waiting run_waits' },
  },
  {
    name: 'one that waits on',
    due: [run(1, '05:00', 'waiting')],
    isFormerLive: true,
    overlap: 'wait',
    make: null,
  },
  { name: 'one whose wait is over', due: [run(1, '05:00', 'waiting')], overlap: 'wait', make: 1 },
  {
    name: 'one that waited until the next one was due',
    due: [run(1, '05:00', 'waiting'), run(2, '12:00')],
    isFormerLive: true,
    overlap: 'wait',
    make: null,
    marks: { 1: 'skipped run_overlaps', 2: 'waiting run_waits' },
  },
]

// R-1310, R-1311, R-1312
test.each(cases)('$name', ({ due, isFormerLive = false, overlap = 'skip', make, marks = {} }) => {
  const decision = decide(due, { now: at('12:00'), isFormerLive, overlap })
  expect(decision.make?.id ?? null).toBe(make)
  const marked = decision.marks.map(({ id, state, reason }) => [id, `${state} ${reason.code}`])
  expect(Object.fromEntries(marked)).toEqual(marks)
})
