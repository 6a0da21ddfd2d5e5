import type { Series } from '@sendroom/contract/series'
import type { SeriesRun } from '@sendroom/contract/series-runs'

export const run: SeriesRun = {
  ...{ id: 70, localTime: '2099-11-30T09:00', dueAt: '2099-11-30T02:00:00.000Z', number: 1 },
  ...{ state: 'planned', reason: null, jobId: null, outcome: null, message: null },
}

export const series: Series = {
  ...{ id: 4, name: 'Weekly offer', instance: { id: 7, name: 'Shop' }, jobType: 'SendToGroups' },
  ...{ state: 'active', pausedReason: null, messageCount: 2, nextRun: run, authorName: 'minh' },
  rule: {
    ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00'], startsOn: '2026-11-30' },
    ...{ endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
  },
  createdAt: '2026-11-25T08:00:00.000Z',
  messages: [
    { id: 5, textContent: 'Hello', imageUrl: null, content: null },
    { id: 6, textContent: 'No groups here', imageUrl: null, content: null },
  ],
  ...{ nextPosition: 1, changedRuns: [] },
  ...{ groups: [{ id: 1, name: 'Family' }], contacts: [], contactIds: [], phoneNumbers: '', fallbacks: {} },
  ...{ leaveOutIncomplete: false, groupSets: [], lists: [], excludedLists: [] },
  ...{ isFrozen: false, frozenCount: null, quietDays: [], quietPolicy: 'move', overlap: 'skip', version: 3 },
  approval: null,
}
