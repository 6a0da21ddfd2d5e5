import { expect, type Page } from '@playwright/test'

/** Returns the app's text for a translation key. */
export type Words = (key: string) => string
export type View = {
  path: string
  open?: (page: Page, words: Words) => Promise<unknown>
  /** Takes a full-page screenshot, even though the view opens something. */
  isWhole?: boolean
  /** The user, by default the Admin. `newcomer`: a Member without instances. `first`: the Admin of an empty Sendroom. */
  as?: 'visitor' | 'newcomer' | 'first'
}

export const languages = ['en', 'vi', 'cn']
export const schemes = ['light', 'dark'] as const
export const widths = [1280, 360]

const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first()

/** Presses the first row's action of this name. On a phone most of them are in the row's menu. */
async function pressRowAction(page: Page, t: Words, key: string) {
  const more = button(page, t('COMMON.MORE'))
  await more
    .or(button(page, t(key)))
    .first()
    .waitFor()
  if (await more.isVisible()) await more.click()
  await page
    .getByRole('main')
    .getByRole('button', { name: t(key), exact: true })
    .locator('visible=true')
    .first()
    .click()
}

const openUserMenu = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'admin' }).click()

const anyToast = (page: Page, t: Words) =>
  page
    .getByRole('region', { name: t('COMMON.NOTIFICATIONS') })
    .getByText(/./)
    .first()
    .waitFor()

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
  dashboard: { path: '/dashboard' },
  'dashboard-empty': { path: '/dashboard', as: 'newcomer' },
  'dashboard-first': { path: '/dashboard', as: 'first' },
  'dashboard-denied': { path: '/users', as: 'newcomer', open: anyToast },
  menu: { path: '/dashboard', open: openUserMenu },
  password: {
    path: '/dashboard',
    open: async (page, t) => {
      await openUserMenu(page)
      await page.getByRole('button', { name: t('HEADER.CHANGE_PASSWORD') }).click()
    },
  },
  messages: { path: '/messages' },
  'messages-empty': { path: '/messages', as: 'newcomer' },
  'messages-none': { path: '/messages?search=nothing' },
  'messages-delete-all': {
    path: '/messages',
    open: async (page, t) => {
      await page.getByRole('checkbox', { name: t('COMMON.SELECT_ALL') }).check()
      await page.getByRole('button', { name: t('COMMON.DELETE_SELECTED').replace('{{count}}', '3') }).click()
    },
  },
  'messages-delete': { path: '/messages', open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE') },
  'messages-new': { path: '/messages/new' },
  'messages-errors': { path: '/messages/new', open: (page, t) => button(page, t('COMMON.SAVE')).click() },
  'messages-leave': {
    path: '/messages/new',
    open: async (page, t) => {
      await page.getByRole('textbox', { name: t('MESSAGE.TEXT') }).fill('*Half* a _sentence_\n~and~ a line')
      await button(page, t('COMMON.CANCEL')).click()
    },
  },
  'messages-edit': { path: '/messages/edit/1' },
  'messages-gone': { path: '/messages/edit/999', open: anyToast },
  'messages-groups': {
    path: '/messages/edit/1',
    open: (page, t) => button(page, t('FORM.CHOOSE_GROUPS')).click(),
  },
  'messages-long': { path: '/messages/edit/3' },
  jobs: { path: '/jobs' },
  'jobs-empty': { path: '/jobs', as: 'newcomer' },
  'jobs-new': { path: '/jobs/new' },
  'jobs-errors': { path: '/jobs/new', open: (page, t) => button(page, t('JOB.CREATE')).click() },
  'jobs-preview': {
    path: '/jobs/new',
    isWhole: true,
    open: async (page, t) => {
      await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
      await page.getByRole('combobox', { name: t('JOB.MESSAGE'), exact: true }).fill('#2')
      await page.getByRole('option', { name: /^#2 / }).click()
      await page.getByRole('combobox', { name: t('FORM.INSTANCE') }).fill('Shop')
      await page.getByRole('option', { name: 'Shop' }).click()
      await page.getByLabel(t('JOB.PHONE_NUMBERS')).fill('0901234567\n+84 901 234 567\n0912345678\nMs Lan')
      await expect(page.getByText('Ms Lan').last()).toBeVisible()
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
  'jobs-restart': { path: '/jobs/2', open: (page, t) => button(page, t('JOB.RESTART')).click() },
  'jobs-retry': { path: '/jobs/2', open: (page, t) => button(page, t('JOB.RETRY')).click() },
  'jobs-cancel': { path: '/jobs/3', open: (page, t) => button(page, t('JOB.CANCEL')).click() },
  groups: { path: '/groups' },
  'groups-empty': { path: '/groups', as: 'newcomer' },
  'groups-sync': {
    path: '/groups',
    open: (page, t) => button(page, t('ACCOUNT.SYNC')).click(),
  },
  instances: { path: '/instances' },
  'instances-empty': { path: '/instances', as: 'newcomer' },
  'instances-none': { path: '/instances?search=nothing' },
  'instances-resume': { path: '/instances', open: (page, t) => button(page, t('ACCOUNT.RESUME')).click() },
  'instances-qr': {
    path: '/instances',
    open: async (page, t) => {
      await button(page, t('ACCOUNT.SCAN_QR')).click()
      // The simulator links the instance as soon as the code is shown, so later visits find it connected.
      const code = page.getByRole('img', { name: t('ACCOUNT.QR_ALT') })
      await expect(code.or(page.getByText(t('ACCOUNT.CONNECTED_NOW')))).toBeVisible()
    },
  },
  'instances-code': { path: '/instances', open: (page, t) => pressRowAction(page, t, 'ACCOUNT.GET_CODE') },
  'instances-clear': { path: '/instances', open: (page, t) => pressRowAction(page, t, 'ACCOUNT.CLEAR_DATA') },
  'instances-new': { path: '/instances/new' },
  'instances-edit': { path: '/instances/edit/1' },
  'instances-pace': {
    path: '/instances/edit/1',
    isWhole: true,
    open: (page, t) => page.getByText(t('ACCOUNT_FORM.PACE'), { exact: true }).click(),
  },
  users: { path: '/users' },
  'users-none': { path: '/users?search=nobody' },
  'users-delete': { path: '/users', open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE') },
  'users-new': { path: '/users/new' },
  'users-errors': { path: '/users/new', open: (page, t) => button(page, t('COMMON.SAVE')).click() },
  'users-edit': { path: '/users/edit/2' },
  audit: { path: '/audit' },
  'audit-none': { path: '/audit?search=nothing' },
  'audit-text': {
    path: '/audit?action=job.create',
    open: (page, t) => button(page, t('AUDIT.DETAILS')).click(),
  },
  'audit-changes': {
    path: '/audit?action=instance.update',
    open: (page, t) => button(page, t('AUDIT.DETAILS')).click(),
  },
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
