import { expect, type Page } from '@playwright/test'
import { advisedPace } from '@sendroom/contract/pace'
import { apiKeyViews } from './api-key-views.ts'
import { approvalViews } from './approval-views.ts'
import { calendarViews } from './calendar-views.ts'
import { channelViews } from './channel-views.ts'
import { contentViews } from './content-views.ts'
import { peopleViews } from './people-views.ts'
import { seriesViews } from './series-views.ts'
import { signInViews } from './sign-in-views.ts'
import { choose } from './steps.ts'
import {
  answer,
  anyToast,
  button,
  meetConflict,
  patch,
  pressRowAction,
  selectFirst,
  showRowActions,
  type View,
  type Words,
} from './view.ts'

/** A picture as large as a QR code. */
const QR = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h3v3H1zM5 1h3v3H5zM1 5h3v3H1zM5 5h1v1H5zM7 7h1v1H7z"/></svg>')}`

/** Keeps the first instance from being linked, so that each visit finds the dialog as the first one did. */
const stayUnlinked = (page: Page) =>
  patch(page, '/instances/3', (instance) => ({ ...instance, status: 'NeedsLogin' }))

const until = '2026-11-26T17:00:00.000Z'
const rest = { why: { code: 'rest_day', params: {} }, until }
const cap = { why: { code: 'daily_cap', params: {} }, until }
const night = { why: { code: 'quiet_hours', params: {} }, until }
const unpaid = { why: { code: 'account_unpaid', params: {} }, until: null }

/** An account that a limit holds back. */
const held = {
  ...{ id: 1, name: 'Shop Hà Nội', whatsAppNumber: '84901234567', isActive: true, isTest: false },
  ...{ createdAt: '2026-11-20T08:00:00.000Z', expiredTime: null, status: 'Connected', statusSeenAt: null },
  ...{ waiting: null, holds: { people: rest, groups: cap } },
  ...{ lastSyncAt: null, isSyncing: false, syncEndedAt: null, syncProblem: null },
}
const someHeld = {
  data: [
    held,
    { ...held, id: 2, name: 'Shop Đà Nẵng', holds: { people: rest, groups: null } },
    { ...held, id: 3, name: 'Kho Bình Dương', holds: { people: night, groups: night } },
    { ...held, id: 4, name: 'Cửa hàng 4', waiting: unpaid.why, holds: { people: unpaid, groups: unpaid } },
  ],
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount: 4, totalPages: 1 },
    ...{ hasPrevious: false, hasNext: false },
  },
}
const heldWhole = {
  ...{ ...held, ...advisedPace, whapiToken: '••••1234', quietHours: null, timeZone: 'Asia/Ho_Chi_Minh' },
  ...{ warmUpStep: 20, approval: 'always', approvalAbove: 100, approverCount: 1, version: 1 },
  warmUp: { step: 20, nextStep: 50, sentToday: 17, neededToday: 16, spoiltBy: 'opt_outs' },
}

const openUserMenu = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'admin' }).click()

const notice = {
  job: null,
  series: null,
  instance: null,
  apiKey: null,
  host: '',
  reason: null,
  expiresAt: null,
  endedAt: null,
}

/** Notices of what concerns one user alone. */
const ownNotices = () => {
  const own = { ...notice, isRead: false, beganAt: '2026-11-22T20:12:00.000Z' }
  const from = { browser: 'Samsung Internet, Android', address: '2001:db8:1234:5678:9abc:def0:1234:5678' }
  const apiKey = { id: 3, name: 'Website bán hàng' }
  return [
    ...['factor_set_up_from', 'factor_remove_from', 'user_password_from'].map((code, n) => ({
      ...{ ...own, id: n + 1, kind: 'sign_in_changed', reason: { code, params: from } },
    })),
    { ...own, id: 4, kind: 'new_browser', reason: { code: 'signed_in_by', params: from } },
    {
      ...{ ...own, id: 5, kind: 'key_expiring', apiKey, expiresAt: '2026-12-10T03:00:00.000Z' },
      reason: { code: 'key_expires', params: {} },
    },
    { ...own, id: 6, kind: 'sign_in_changed', isRead: true, endedAt: '2026-11-23T20:12:00.000Z' },
  ]
}

/** Notices of all other kinds, and 50 accounts that dropped out at once. */
const someNotices = () => {
  const shop = (n: number) => ({ id: n, name: `Cửa hàng ${n}` })
  const beganAt = '2026-11-22T20:12:00.000Z'
  const failures = { code: 'account_failures', params: { count: 10 } }
  const unlinked = { code: 'account_not_linked', params: {} }
  return [
    ...Array.from({ length: 50 }, (_, n) => ({
      ...{ ...notice, id: n + 1, kind: 'account_down', instance: shop(n + 1), isRead: false, beganAt },
      reason: n === 1 ? failures : unlinked,
    })),
    {
      ...notice,
      id: 60,
      kind: 'account_expiring',
      instance: shop(3),
      isRead: true,
      beganAt,
      expiresAt: beganAt,
    },
    {
      ...{
        ...notice,
        id: 61,
        kind: 'job_stuck',
        instance: shop(4),
        isRead: false,
        beganAt,
        reason: unlinked,
      },
      job: { id: 7, name: 'Xin chào anh chị, cửa hàng chúng tôi xin gửi bảng giá mới' },
    },
    { ...notice, id: 62, kind: 'disk_low', host: 'server-1', isRead: true, beganAt },
    {
      ...{ ...notice, id: 63, kind: 'account_down', instance: shop(60), isRead: true, beganAt },
      endedAt: '2026-11-22T21:00:00.000Z',
    },
  ]
}

const receiver = {
  ...{ id: 1, name: 'Hệ thống bán hàng', url: 'https://shop.example/sendroom/events?token=abc123' },
  ...{ topics: ['job', 'delivery', 'trouble'], isActive: true, allowsOwnNetwork: false, waiting: 1204 },
  createdAt: '2026-11-20T08:00:00.000Z',
  arrivedAt: '2026-11-22T20:12:00.000Z',
  failedAt: '2026-11-22T21:00:00.000Z',
}
const someAttempts = () =>
  [
    { status: 500, error: null, type: 'delivery.delivered' },
    { status: null, error: 'OWN_NETWORK', type: 'job.completed' },
    { status: null, error: 'CERT_HAS_EXPIRED', type: 'events_dropped', isWaiting: false },
    { status: 204, error: null, type: 'trouble.began', hasArrived: true, isWaiting: false },
  ].map((attempt, n) => ({
    ...{ id: 9 - n, eventId: 'x', at: receiver.failedAt, durationMs: 41 + 999 * n },
    ...{
      hasArrived: false,
      isWaiting: true,
      body: JSON.stringify({ id: 'a'.repeat(36), type: attempt.type }),
    },
    ...attempt,
  }))

/** Opens the bell with these notices in place of the server's. */
async function openBell(page: Page, t: Words, notices: object[]) {
  await answer(page, '/notices', 200, { notices })
  await page.reload()
  await page.getByRole('banner').locator('[popovertarget=notices]').click()
  await page
    .locator('#notices')
    .getByRole('heading', { name: t('NOTICE.TITLE') })
    .waitFor()
}

const nothing = { total: 0, first: [] }
const calm = {
  accounts: nothing,
  waitingJobs: nothing,
  failedJobs: nothing,
  runningJobs: nothing,
  upcomingJobs: nothing,
  possibleOptOuts: 0,
  hasGeneratedPassword: false,
}

const listed = (total: number, first: object[]) => ({ total, first })

/** A job of the dashboard, with what differs from a running one. */
const dashboardJob = (id: number, change: object = {}) => ({
  ...{
    id,
    messageTitle: 'Xin chào anh chị, cửa hàng chúng tôi xin gửi bảng giá mới',
    instanceName: `Cửa hàng ${id}`,
  },
  ...{ status: 'Running', isPaused: false, recipientCount: 1200, sentCount: 7 * id * id, failedCount: 0 },
  ...{
    scheduledAt: null,
    completedAt: null,
    waiting: null,
    nextSendAt: null,
    endsAt: '2030-11-23T09:30:00.000Z',
  },
  ...change,
})

const busy = {
  runningJobs: listed(
    8,
    [12, 11, 9, 7, 3].map((id) =>
      dashboardJob(
        id,
        id !== 9
          ? {}
          : { waiting: { code: 'quiet_hours', params: {} }, nextSendAt: '2026-11-23T23:00:00.000Z' },
      ),
    ),
  ),
  upcomingJobs: listed(
    2,
    [14, 15].map((id) =>
      dashboardJob(id, {
        ...{ status: 'Pending', sentCount: 0, scheduledAt: '2030-11-22T09:30:00.000Z' },
        waiting: { code: 'scheduled', params: {} },
      }),
    ),
  ),
}

const troubles = () => {
  const inTrouble = (id: number, code: string | null, until: string | null = null) => ({
    instance: {
      id,
      name: id === 2 ? 'Nhà hàng Biển Xanh – chăm sóc khách hàng thân thiết' : `Cửa hàng ${id}`,
    },
    reason: code && { code, params: { count: 10 } },
    until,
  })
  const failures = { code: 'account_failures', params: { count: 10 } }
  return {
    accounts: listed(7, [
      inTrouble(1, 'account_failures'),
      inTrouble(2, 'account_not_linked'),
      inTrouble(3, 'account_bad_token'),
      inTrouble(4, 'account_restricted', '2030-11-23T09:30:00.000Z'),
      inTrouble(5, null, '2030-11-23T09:30:00.000Z'),
    ]),
    waitingJobs: listed(2, [
      dashboardJob(8, { waiting: failures, endsAt: null }),
      dashboardJob(9, { endsAt: null }),
    ]),
    failedJobs: listed(1, [
      dashboardJob(6, { status: 'Completed', failedCount: 31, completedAt: '2026-11-22T09:30:00.000Z' }),
    ]),
  }
}

/** Thirty days with a quiet weekend, a growing number of messages and some failures. */
const someDays = Array.from({ length: 30 }, (_, n) => {
  const sent = n % 7 > 4 ? 0 : 300 + n * 25 + (n % 4) * 130
  const day = new Date(Date.UTC(2026, 9, 25 + n)).toISOString().slice(0, 10)
  return {
    day,
    sent,
    delivered: Math.round(sent * 0.93),
    read: Math.round(sent * 0.6),
    failed: n % 5 === 3 ? 40 : 0,
  }
})

const dashboardWith = (now: object) => ({
  '/dashboard/now': { ...calm, ...now },
  '/dashboard/days': { days: someDays },
})

async function openNoticeSettings(page: Page, t: Words, email: string | null) {
  await patch(page, '/notices/settings', (settings) => ({ ...settings, email }))
  await openBell(page, t, [])
  await page
    .locator('#notices')
    .getByRole('button', { name: t('NOTICE.SETTINGS') })
    .click()
  await page.getByRole('dialog').getByRole('table').waitFor()
}

/** Every page and dialog, for every-page.spec.ts and for the screenshots of look.ts. */
export const views: Record<string, View> = {
  login: { path: '/login', as: 'visitor' },
  'login-failed': {
    path: '/login',
    as: 'visitor',
    open: async (page, t) => {
      await page.getByLabel(t('LOGIN.USERNAME')).fill('nobody')
      await page.getByLabel(t('LOGIN.PASSWORD'), { exact: true }).fill('nothing')
      await page.getByRole('button', { name: t('LOGIN.SUBMIT') }).click()
    },
  },
  'login-register': {
    path: '/login',
    as: 'visitor',
    open: (page, t) => page.getByRole('button', { name: t('LOGIN.REGISTER') }).click(),
  },
  'login-register-errors': {
    path: '/login',
    as: 'visitor',
    open: async (page, t) => {
      await page.getByRole('button', { name: t('LOGIN.REGISTER') }).click()
      const fill = (key: string, text: string) =>
        page
          .getByRole('dialog')
          .getByLabel(new RegExp(`^${t(key)}`))
          .fill(text)
      await fill('REGISTER.EMAIL', 'lan@')
      await fill('REGISTER.PASSWORD', 'secret')
      await fill('REGISTER.REPASSWORD', 'secrets')
    },
  },
  'login-wait': {
    path: '/login',
    as: 'visitor',
    open: async (page, t) => {
      const refusal = { code: 'too_many_requests', error: '', params: { seconds: 90 } }
      await answer(page, '/auth/login', 429, refusal)
      await page.getByLabel(t('LOGIN.USERNAME')).fill('nobody')
      await page.getByLabel(t('LOGIN.PASSWORD'), { exact: true }).fill('nothing')
      await page.getByRole('button', { name: t('LOGIN.SUBMIT') }).click()
    },
  },
  dashboard: { path: '/dashboard' },
  'dashboard-empty': { path: '/dashboard', as: 'newcomer' },
  'dashboard-first': { path: '/dashboard', as: 'first' },
  'dashboard-calm': { path: '/dashboard', answers: dashboardWith({}) },
  'dashboard-trouble': { path: '/dashboard', answers: dashboardWith(troubles()) },
  'dashboard-helpless': { path: '/dashboard', as: 'reader', answers: dashboardWith(troubles()) },
  'dashboard-busy': {
    path: '/dashboard',
    answers: dashboardWith(busy),
    open: async (page, t) => {
      await page.getByText(t('DASHBOARD.DAYS_TABLE')).click()
      await page.getByText(t('DASHBOARD.CHOOSE_ACCOUNT')).click()
    },
    isWhole: true,
  },
  'dashboard-denied': { path: '/users', keepsWords: true, as: 'newcomer', open: anyToast },
  menu: { path: '/dashboard', open: openUserMenu },
  notices: { path: '/dashboard', open: (page, t) => openBell(page, t, someNotices()) },
  'notices-own': { path: '/dashboard', open: (page, t) => openBell(page, t, ownNotices()) },
  'notices-empty': { path: '/dashboard', open: (page, t) => openBell(page, t, []) },
  'notices-settings': {
    path: '/dashboard',
    open: (page, t) => openNoticeSettings(page, t, 'minh@example.com'),
  },
  'notices-settings-bell': { path: '/dashboard', open: (page, t) => openNoticeSettings(page, t, null) },
  'menu-main': {
    path: '/settings/limits',
    // Only a phone has this button; elsewhere the menu is always open.
    open: async (page, t) => {
      const burger = page.getByRole('button', { name: t('HEADER.MAIN_MENU') })
      if (await burger.isVisible()) await burger.click()
      else await openUserMenu(page)
    },
  },
  network: {
    path: '/messages',
    keepsWords: true,
    open: async (page, t) => {
      await page.route('**/api/messages?*search=sale*', (route) => route.abort())
      await page.getByRole('searchbox').fill('sale')
      await button(page, t('COMMON.SEARCH')).click()
      await page.getByText(t('COMMON.NO_CONNECTION')).waitFor()
    },
  },
  password: {
    path: '/dashboard',
    open: async (page, t) => {
      await openUserMenu(page)
      await page.getByRole('button', { name: t('HEADER.CHANGE_PASSWORD') }).click()
    },
  },
  messages: { path: '/messages' },
  'messages-empty': { path: '/messages', as: 'newcomer' },
  'messages-first': { path: '/messages', as: 'first' },
  'messages-reader': { path: '/messages', as: 'reader' },
  'messages-view': { path: '/messages/edit/1', as: 'reader' },
  'messages-shared': { path: '/messages/edit/2', as: 'newcomer' },
  'messages-closed': { path: '/messages/new', as: 'reader' },
  'messages-actions': { path: '/messages', open: showRowActions },
  'messages-failed': {
    path: '/messages',
    keepsWords: true,
    open: async (page, t) => {
      await answer(page, '/messages?*search=sale*', 500, { code: 'internal', error: '' })
      await page.getByRole('searchbox').fill('sale')
      await button(page, t('COMMON.SEARCH')).click()
      await anyToast(page, t)
    },
  },
  'messages-conflict': {
    path: '/messages/edit/1',
    keepsWords: true,
    open: (page, t) => meetConflict(page, t, 'MESSAGE.TEXT', 'Giảm giá 30 % cho khách quen.'),
  },
  'messages-none': { path: '/messages?search=nothing' },
  'messages-delete-all': {
    path: '/messages',
    keepsWords: true,
    open: async (page, t) => {
      await page.getByRole('checkbox', { name: t('COMMON.SELECT_ALL') }).check()
      await page.getByRole('button', { name: t('COMMON.DELETE_SELECTED').replace('{{count}}', '3') }).click()
    },
  },
  'messages-delete': {
    path: '/messages',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE'),
  },
  'messages-new': { path: '/messages/new' },
  'messages-errors': {
    path: '/messages/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'messages-leave': {
    path: '/messages/new',
    keepsWords: true,
    open: async (page, t) => {
      await page.getByRole('textbox', { name: t('MESSAGE.TEXT') }).fill('*Half* a _sentence_\n~and~ a line')
      await button(page, t('COMMON.CANCEL')).click()
    },
  },
  'messages-edit': { path: '/messages/edit/1' },
  'messages-gone': { path: '/messages/edit/999', keepsWords: true, open: anyToast },
  'messages-groups': {
    path: '/messages/edit/1',
    open: (page, t) => button(page, t('FORM.CHOOSE_GROUPS')).click(),
  },
  'messages-long': { path: '/messages/edit/3' },
  ...contentViews,
  ...channelViews,
  jobs: { path: '/jobs' },
  'jobs-empty': { path: '/jobs', as: 'newcomer' },
  'jobs-first': { path: '/jobs', as: 'first' },
  'jobs-none': { path: '/jobs?search=nothing' },
  'jobs-limited': { path: '/jobs?only=failures' },
  'jobs-reader': { path: '/jobs', as: 'reader' },
  'jobs-closed': { path: '/jobs/new', as: 'reader' },
  'jobs-gone': { path: '/jobs/999', keepsWords: true, open: anyToast },
  'jobs-actions': { path: '/jobs', open: showRowActions },
  'jobs-delete': {
    path: '/jobs',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE'),
  },
  'jobs-delete-all': {
    path: '/jobs',
    keepsWords: true,
    open: async (page, t) => {
      await selectFirst(page)
      await button(page, t('COMMON.DELETE_SELECTED').replace('{{count}}', '1')).click()
    },
  },
  'jobs-choose': {
    path: '/jobs/new',
    open: (page, t) => page.getByRole('combobox', { name: t('JOB.MESSAGE'), exact: true }).click(),
  },
  'jobs-new': { path: '/jobs/new' },
  'jobs-change': { path: '/jobs/edit/4' },
  'jobs-errors': {
    path: '/jobs/new',
    keepsWords: true,
    open: (page, t) => button(page, t('JOB.CREATE')).click(),
  },
  'jobs-preview': {
    path: '/jobs/new',
    isWhole: true,
    open: async (page, t) => {
      await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
      await choose(page, t('JOB.MESSAGE'), '#2')
      await choose(page, t('FORM.INSTANCE'), 'Shop')
      await patch(page, '/jobs/preview', (body) => ({ ...body, hold: rest }))
      await page.getByLabel(t('JOB.PHONE_NUMBERS')).fill('0901234567\n+84 901 234 567\n0912345678\nMs Lan')
      await expect(page.getByText('Ms Lan').last()).toBeVisible()
    },
  },
  'jobs-written': {
    path: '/jobs/new',
    isWhole: true,
    open: async (page, t) => {
      await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
      await page.getByText(t('JOB.MESSAGE_WRITTEN'), { exact: true }).click()
      await page.getByLabel(t('MESSAGE.TEXT')).fill('Chào bạn, hẹn gặp ở {{city}}!')
      await page.getByLabel(t('JOB.PHONE_NUMBERS')).fill('0901234567')
      await page.getByLabel(t('JOB.LEAVE_OUT_INCOMPLETE')).waitFor()
      await button(page, t('MESSAGE.VARIABLE_INSERT')).click()
    },
  },
  'jobs-completed': { path: '/jobs/1' },
  'jobs-rest': { path: '/jobs/2' },
  'jobs-running': { path: '/jobs/3' },
  'jobs-long': { path: '/jobs/5' },
  'jobs-failed': { path: '/jobs/6' },
  'jobs-cancelled': { path: '/jobs/7' },
  'jobs-paused': { path: '/jobs/8' },
  'jobs-stopped': { path: '/jobs/9' },
  'jobs-restart': {
    path: '/jobs/2',
    keepsWords: true,
    open: (page, t) => button(page, t('JOB.RESTART')).click(),
  },
  'jobs-retry': {
    path: '/jobs/2',
    keepsWords: true,
    open: (page, t) => button(page, t('JOB.RETRY')).click(),
  },
  'jobs-retry-unknown': {
    path: '/jobs/2',
    keepsWords: true,
    open: async (page, t) => {
      await patch(page, '/jobs/2', (job) => ({
        ...job,
        recipients: { ...(job.recipients as object), failed: 3, unknown: 2 },
      }))
      await button(page, t('JOB.RETRY')).click()
    },
  },
  'jobs-members': {
    path: '/jobs/1',
    open: async (page, t) => {
      const [before, after] = t('JOB.RECEIPT_OF_MEMBERS').split(/{{.*}}/s)
      const counts = page.getByRole('main').getByRole('button', { name: new RegExp(`^${before}.*${after}$`) })
      await counts.first().click()
      await page.getByRole('dialog').getByRole('listitem').first().waitFor()
    },
  },
  'jobs-cancel': {
    path: '/jobs/3',
    keepsWords: true,
    open: (page, t) => button(page, t('JOB.CANCEL')).click(),
  },
  groups: { path: '/groups' },
  'groups-first': { path: '/groups', as: 'first' },
  'groups-none': { path: '/groups?search=nothing' },
  'groups-reader': { path: '/groups', as: 'reader' },
  'groups-empty': { path: '/groups', as: 'newcomer' },
  'groups-sync': {
    path: '/groups',
    open: (page, t) => button(page, t('ACCOUNT.SYNC')).click(),
  },
  instances: { path: '/instances' },
  'instances-empty': { path: '/instances', as: 'newcomer' },
  'instances-none': { path: '/instances?search=nothing' },
  'instances-resume': {
    path: '/instances',
    keepsWords: true,
    open: (page, t) => button(page, t('ACCOUNT.RESUME')).click(),
  },
  'instances-held': { path: '/instances', answers: { '/instances?*': someHeld } },
  'instances-edit-held': { path: '/instances/edit/1', answers: { '/instances/1': heldWhole } },
  'instances-first': { path: '/instances', as: 'first' },
  'instances-reader': { path: '/instances', as: 'reader' },
  'instances-actions': { path: '/instances', open: showRowActions },
  'instances-qr': {
    path: '/instances',
    open: async (page, t) => {
      await stayUnlinked(page)
      await answer(page, '/instances/3/qrcode-base64', 200, { qr: QR })
      await button(page, t('ACCOUNT.SCAN_QR')).click()
      await page.getByRole('img', { name: t('ACCOUNT.QR_ALT') }).waitFor()
    },
  },
  'instances-qr-failed': {
    path: '/instances',
    open: async (page, t) => {
      await stayUnlinked(page)
      const refusal = {
        code: 'provider_failed',
        error: '',
        params: { why: 'provider_unreachable', reason: '' },
      }
      await answer(page, '/instances/3/qrcode-base64', 502, refusal)
      await button(page, t('ACCOUNT.SCAN_QR')).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  'instances-linked': {
    path: '/instances',
    open: async (page, t) => {
      await stayUnlinked(page)
      await answer(page, '/instances/3/qrcode-base64', 409, { code: 'already_connected', error: '' })
      await button(page, t('ACCOUNT.SCAN_QR')).click()
      await page.getByText(t('ACCOUNT.CONNECTED_NOW')).waitFor()
    },
  },
  'instances-code': {
    path: '/instances',
    open: async (page, t) => {
      await stayUnlinked(page)
      await answer(page, '/instances/3/connect-code?*', 200, { code: 'K7RM-2QXP' })
      await pressRowAction(page, t, 'ACCOUNT.GET_CODE')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('ACCOUNT.GET_CODE'), exact: true })
        .click()
      await page.getByText('K7RM-2QXP').waitFor()
    },
  },
  'instances-delete': {
    path: '/instances',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE'),
  },
  'instances-conflict': {
    path: '/instances/edit/1',
    keepsWords: true,
    open: (page, t) => meetConflict(page, t, 'ACCOUNT_FORM.NAME', 'Shop Hà Nội 2'),
  },
  'instances-errors': {
    path: '/instances/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'instances-clear': {
    path: '/instances',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'ACCOUNT.CLEAR_DATA'),
  },
  'instances-new': { path: '/instances/new' },
  'instances-edit': { path: '/instances/edit/1' },
  'instances-pace': {
    path: '/instances/edit/1',
    isWhole: true,
    open: (page, t) => page.getByText(t('ACCOUNT_FORM.PACE'), { exact: true }).click(),
  },
  users: { path: '/users' },
  'users-none': { path: '/users?search=nobody' },
  'users-delete': {
    path: '/users',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE'),
  },
  'users-confirm': {
    path: '/users',
    keepsWords: true,
    isBusy: true,
    open: async (page, t) => {
      await answer(page, '/users/*', 403, { code: 'confirm_password', error: '' })
      await pressRowAction(page, t, 'COMMON.DELETE')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('COMMON.DELETE'), exact: true })
        .click()
      await page.getByLabel(t('CONFIRM_PASSWORD.PASSWORD')).waitFor()
    },
  },
  'users-conflict': {
    path: '/users/edit/2',
    keepsWords: true,
    open: (page, t) => meetConflict(page, t, 'USER_FORM.USERNAME', 'lan'),
  },
  'users-actions': { path: '/users', open: showRowActions },
  'users-instances': {
    path: '/users/edit/2',
    open: (page, t) => page.getByRole('combobox', { name: t('USER_FORM.INSTANCES') }).click(),
  },
  'users-new': { path: '/users/new' },
  'users-errors': {
    path: '/users/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'users-edit': { path: '/users/edit/2' },
  settings: { path: '/settings' },
  retention: { path: '/settings/retention' },
  'personal-data': { path: '/settings/personal-data' },
  ...signInViews,
  quotas: { path: '/settings/limits' },
  receivers: { path: '/settings/webhooks' },
  'receivers-none': { path: '/settings/webhooks', as: 'first' },
  'receivers-new': { path: '/settings/webhooks/new' },
  'receivers-errors': {
    path: '/settings/webhooks/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'receivers-secret': {
    path: '/settings/webhooks/new',
    open: async (page, t) => {
      await answer(page, '/receivers', 201, { receiver, secret: `whsec_${'aZ3/'.repeat(11)}` })
      await page.getByRole('textbox', { name: t('RECEIVER_FORM.NAME') }).fill('Shop')
      await page.getByRole('textbox', { name: t('RECEIVER_FORM.URL') }).fill('https://shop.example')
      await button(page, t('COMMON.SAVE')).click()
      await page.getByRole('textbox', { name: t('RECEIVER.SECRET') }).waitFor()
    },
  },
  'receivers-attempts': {
    path: '/settings/webhooks',
    open: async (page) => {
      await answer(page, '/receivers', 200, { receivers: [receiver] })
      await answer(page, '/receivers/1', 200, { receiver, attempts: someAttempts() })
      await page.reload()
      await page.getByRole('link', { name: receiver.name }).click()
      await page.locator('summary').first().click()
    },
  },
  audit: { path: '/settings/audit' },
  system: { path: '/settings/system' },
  'audit-none': { path: '/settings/audit?search=nothing' },
  'audit-text': {
    path: '/settings/audit?action=job.create',
    open: (page, t) => button(page, t('AUDIT.DETAILS')).click(),
  },
  'audit-changes': {
    path: '/settings/audit?action=instance.update',
    open: (page, t) => button(page, t('AUDIT.DETAILS')).click(),
  },
  ...peopleViews,
  ...seriesViews,
  ...approvalViews,
  ...calendarViews,
  ...apiKeyViews,
  // The last view, because each visit adds a job.
  'messages-test': {
    path: '/messages/edit/1',
    isWhole: true,
    open: async (page, t) => {
      await button(page, t('MESSAGE.TEST_OPEN')).click()
      await page.getByLabel(t('MESSAGE.TEST_PHONE')).fill('0905551234')
      await button(page, t('MESSAGE.TEST_SEND')).click()
      await expect(page.getByRole('link', { name: t('MESSAGE.TEST_JOB').split('#')[0] ?? '' })).toBeVisible()
    },
  },
}
