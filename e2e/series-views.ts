import { button, pressRowAction, showRowActions, type View } from './view.ts'

const nextRun = {
  ...{ id: 70, localTime: '2030-11-28T09:00', dueAt: '2030-11-28T02:00:00.000Z', number: 12 },
  ...{ state: 'planned', reason: null, jobId: null, outcome: null, message: null },
}
const changedRun = {
  ...{ ...nextRun, id: 71, number: 13, localTime: '2030-12-01T09:00', dueAt: '2030-12-02T00:00:00.000Z' },
  message: { id: 4, textContent: 'Nghỉ lễ: cửa hàng chúng tôi đóng cửa đến hết ngày mai', imageUrl: null },
}
const rule = {
  ...{ frequency: 'week', every: 1, weekdays: [1, 4], times: ['09:00', '15:30'], startsOn: '2026-11-30' },
  ...{ endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' },
}
const row = {
  ...{
    id: 4,
    name: 'Ưu đãi hằng tuần cho khách hàng thân thiết',
    instance: { id: 1, name: 'Nhà hàng Biển Xanh' },
  },
  ...{ jobType: 'SendToGroups', state: 'active', pausedReason: null, rule, messageCount: 3, nextRun },
  ...{ authorName: 'minh', createdAt: '2026-11-25T08:00:00.000Z' },
}
const failed = { code: 'series_runs_failed', params: { count: 3 } }
const rows = [
  row,
  {
    ...{ ...row, id: 5, name: 'Bảng giá cuối tháng', state: 'paused', pausedReason: failed },
    rule: {
      ...rule,
      frequency: 'month',
      weekdays: undefined,
      monthDay: { kind: 'day', day: 31 },
      runLimit: 12,
    },
  },
  { ...row, id: 6, name: 'Tết', state: 'ended', nextRun: null },
]
const listed = (data: object[]) => ({
  data,
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount: data.length, totalPages: 1 },
    ...{ hasPrevious: false, hasNext: false },
  },
})

const whole = {
  ...row,
  messages: [
    {
      id: 1,
      textContent: 'Xin chào anh chị, cửa hàng chúng tôi xin gửi bảng giá mới',
      imageUrl: null,
      content: null,
    },
    { id: 2, textContent: 'Ưu đãi giữa tuần', imageUrl: null, content: null },
    { id: 3, textContent: 'Cảm ơn anh chị', imageUrl: null, content: null },
  ],
  ...{
    nextPosition: 1,
    changedRuns: [changedRun],
    groups: [{ id: 1, name: 'Khách sỉ' }],
    contacts: [],
    contactIds: [],
    phoneNumbers: '',
  },
  ...{ fallbacks: {}, leaveOutIncomplete: false, groupSets: [{ id: 1, name: 'Miền Bắc' }], lists: [] },
  ...{ excludedLists: [], isFrozen: true, frozenCount: 120, quietDays: ['2031-01-01', '2031-02-03'] },
  ...{ quietPolicy: 'move', overlap: 'skip', version: 3 },
}
const waitsForApproval = {
  ...whole,
  approval: {
    ...{ isApproved: false, unapprovedRuns: 1, by: 'lan', at: '2026-11-25T08:00:00.000Z', recipients: 110 },
    changesAsked: {
      by: 'lan',
      at: '2026-11-26T08:00:00.000Z',
      words: 'Viết ngắn hơn, và bỏ số điện thoại cũ.',
    },
    canApprove: true,
  },
}
const runWaits = {
  ...whole,
  approval: { ...waitsForApproval.approval, isApproved: true, changesAsked: null },
}
const skipped = { code: 'run_quiet', params: {} }
const runs = [
  nextRun,
  changedRun,
  { ...nextRun, id: 60, state: 'made', jobId: 12, outcome: 'completed' },
  { ...nextRun, id: 61, state: 'skipped', reason: skipped },
  { ...nextRun, id: 62, state: 'missed', reason: { code: 'run_late', params: { hours: 2 } } },
]
const answers = {
  '/series?*': listed(rows),
  '/series/4': whole,
  '/series/4/runs?*next': listed(runs.slice(0, 2)),
  '/series/4/runs?*past': listed(runs.slice(2)),
}

/** The pages and dialogs of series. */
export const seriesViews: Record<string, View> = {
  series: { path: '/series', answers },
  'series-none': { path: '/series', answers: { '/series?*': listed([]) } },
  'series-reader': { path: '/series', as: 'reader', answers },
  'series-actions': { path: '/series', answers, open: showRowActions },
  'series-new': { path: '/series/new' },
  'series-errors': {
    path: '/series/new',
    keepsWords: true,
    open: (page, t) => button(page, t('SERIES.CREATE')).click(),
    isWhole: true,
  },
  'series-edit': { path: '/series/edit/4', answers },
  'series-page': { path: '/series/4', answers },
  'series-approval': { path: '/series/4', answers: { ...answers, '/series/4': waitsForApproval } },
  'series-run-approval': { path: '/series/4', answers: { ...answers, '/series/4': runWaits } },
  'series-ask-changes': {
    path: '/series/4',
    answers: { ...answers, '/series/4': waitsForApproval },
    keepsWords: true,
    open: (page, t) => button(page, t('JOB.ASK_CHANGES')).click(),
  },
  'series-run-message': {
    path: '/series/4',
    answers: { ...answers, '/series/4': runWaits },
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'SERIES.RUN_MESSAGE'),
  },
  'series-move': {
    path: '/series/4',
    answers,
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'SERIES.MOVE'),
  },
}
