/**
 * npm run look: pictures of every page and dialog, narrow and wide, light and dark, in all languages, into
 * .tmp/look/. One sheet per page shows its variants side by side. `npm run look -- jobs` takes only some pages.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, expect, type Page } from '@playwright/test'
import type { Api } from './api.ts'
import { browserOptions } from './browser.ts'
import { pictureOf } from './picture.ts'
import { addAccount, addMember, groupsOf } from './scene.ts'
import { Sendroom } from './sendroom.ts'

const FOLDER = join(import.meta.dirname, '../.tmp/look')

type Look = { width: number; scheme: 'light' | 'dark'; lang: string }
const looks: Look[] = ['en', 'vi', 'cn'].flatMap((lang) =>
  (['light', 'dark'] as const).flatMap((scheme) => [1280, 360].map((width) => ({ width, scheme, lang }))),
)

/** Texts by their key, as the app shows them. */
type Words = (key: string) => string
type View = {
  path: string
  open?: (page: Page, words: Words) => Promise<unknown>
  /** Also what lies below the first screen, though something was opened. */
  isWhole?: boolean
  isPublic?: boolean
}

const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first()

const views: Record<string, View> = {
  login: { path: '/login', isPublic: true },
  'login-register': {
    path: '/login',
    isPublic: true,
    open: (page, t) => page.getByRole('button', { name: t('LOGIN.REGISTER') }).click(),
  },
  dashboard: { path: '/dashboard' },
  menu: {
    path: '/dashboard',
    open: (page) => page.getByRole('banner').getByRole('button', { name: 'admin' }).click(),
  },
  password: {
    path: '/dashboard',
    open: async (page, t) => {
      await page.getByRole('banner').getByRole('button', { name: 'admin' }).click()
      await page.getByRole('button', { name: t('HEADER.CHANGE_PASSWORD') }).click()
    },
  },
  messages: { path: '/messages' },
  'messages-delete': { path: '/messages', open: (page, t) => button(page, t('COMMON.DELETE')).click() },
  'messages-new': { path: '/messages/new' },
  'messages-errors': { path: '/messages/new', open: (page, t) => button(page, t('COMMON.SAVE')).click() },
  'messages-edit': { path: '/messages/edit/1' },
  'messages-groups': {
    path: '/messages/edit/1',
    open: (page, t) => button(page, t('FORM.CHOOSE_GROUPS')).click(),
  },
  jobs: { path: '/jobs' },
  'jobs-new': { path: '/jobs/new' },
  'jobs-preview': {
    path: '/jobs/new',
    isWhole: true,
    open: async (page, t) => {
      await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
      await page.getByRole('combobox', { name: t('FORM.INSTANCE') }).fill('Shop')
      await page.getByRole('option', { name: 'Shop' }).click()
      await page.getByLabel(t('JOB.PHONE_NUMBERS')).fill('0901234567\n+84 901 234 567\n0912345678\nMs Lan')
      await expect(page.getByText('Ms Lan').last()).toBeVisible()
    },
  },
  'jobs-completed': { path: '/jobs/1' },
  'jobs-running': { path: '/jobs/3' },
  'jobs-restart': { path: '/jobs/2', open: (page, t) => button(page, t('JOB.RESTART')).click() },
  'jobs-retry': { path: '/jobs/2', open: (page, t) => button(page, t('JOB.RETRY')).click() },
  'jobs-cancel': { path: '/jobs/3', open: (page, t) => button(page, t('JOB.CANCEL')).click() },
  groups: { path: '/groups' },
  instances: { path: '/instances' },
  'instances-qr': {
    path: '/instances',
    open: async (page, t) => {
      await button(page, t('ACCOUNT.SCAN_QR')).click()
      // The code links the account: who looks later finds it connected.
      const code = page.getByRole('img', { name: t('ACCOUNT.QR_ALT') })
      await expect(code.or(page.getByText(t('ACCOUNT.CONNECTED_NOW')))).toBeVisible()
    },
  },
  'instances-code': { path: '/instances', open: (page, t) => button(page, t('ACCOUNT.GET_CODE')).click() },
  'instances-clear': { path: '/instances', open: (page, t) => button(page, t('ACCOUNT.CLEAR_DATA')).click() },
  'instances-new': { path: '/instances/new' },
  'instances-edit': { path: '/instances/edit/1' },
  'instances-pace': {
    path: '/instances/edit/1',
    isWhole: true,
    open: (page, t) => page.getByText(t('ACCOUNT_FORM.PACE'), { exact: true }).click(),
  },
  users: { path: '/users' },
  'users-new': { path: '/users/new' },
  'users-edit': { path: '/users/edit/2' },
}

/** Something of everything: what it shows is made the way a person would make it. */
async function furnish(admin: Api, browser: Browser, url: string) {
  const shop = await addAccount(admin, 'Shop Hà Nội')
  const page = await browser.newPage()
  await page.goto(url)
  const picture = await pictureOf(page, 'Tết sale −20 %')
  await page.close()
  const sales = await groupsOf(admin, shop, 'Sales team')
  const form = new FormData()
  form.set('textContent', 'Chào cả nhà! Tuần này giảm giá 20 % cho khách quen.\nHẹn gặp lại ở cửa hàng.')
  form.set('instanceId', String(shop.id))
  for (const { id } of sales) form.append('groupIds', String(id))
  form.set('imageFile', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'sale.png')
  const { id: messageId } = await admin.call('POST /messages', { body: form })
  await admin.call('POST /messages', { body: { textContent: 'Cửa hàng nghỉ Tết từ 28 đến mùng 5.' } })
  const job = { messageId, instanceId: shop.id }
  const first = await admin.call('POST /jobs', {
    body: { ...job, jobType: 'SendToGroups', groupIds: sales.map(({ id }) => id) },
  })
  await expect
    .poll(() => admin.call('GET /jobs/:id', { params: { id: first.id } }), { timeout: 60_000 })
    .toMatchObject({ status: 'Completed' })
  // Numbers that end in 0000 are not on WhatsApp: a job with a rest.
  const last = await admin.call('POST /jobs', {
    body: { ...job, jobType: 'SendToUsers', phoneNumbers: '0901110000, 0907654321' },
  })
  await expect
    .poll(() => admin.call('GET /jobs/:id', { params: { id: last.id } }), { timeout: 60_000 })
    .toMatchObject({ status: 'Completed' })
  const params = { id: shop.id }
  await admin.call('PUT /instances/:id', { params, body: { groupPauseSeconds: [600, 600] } })
  const vips = await groupsOf(admin, shop, 'VIP customers')
  await admin.call('POST /jobs', {
    body: { ...job, jobType: 'SendToGroups', groupIds: vips.map(({ id }) => id) },
  })
  await admin.call('POST /jobs', {
    body: {
      ...job,
      jobType: 'SendToUsers',
      phoneNumbers: '0901234567',
      scheduledAt: '2099-01-01T02:00:00.000Z',
    },
  })
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  await admin.call('POST /instances', {
    body: {
      name: 'Đại lý Đà Nẵng',
      whapiToken: 'test_dealer',
      whatsAppNumber: '84912345678',
      expiredTime: inDays(5),
    },
  })
  await addMember(admin, { use: [shop], canSendMessages: true, canCreateJobs: false })
}

async function lookAt(browser: Browser, sendroom: Sendroom, admin: Api, look: Look, names: string[]) {
  const { width, scheme, lang } = look
  const words = await (await fetch(`${sendroom.url}/i18n/${lang}.json`)).json()
  const t: Words = (key) => key.split('.').reduce((at, name) => at[name], words)
  for (const name of names) {
    const view = views[name]
    if (!view) continue
    const session = { token: admin.session.token, user: JSON.stringify(admin.session.user) }
    const stored = { lang, ...(!view.isPublic && session) }
    const localStorage = Object.entries(stored).map(([key, value]) => ({ name: key, value }))
    const page = await browser.newPage({
      baseURL: sendroom.url,
      viewport: { width, height: width > 600 ? 800 : 740 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
      storageState: { cookies: [], origins: [{ origin: sendroom.url, localStorage }] },
    })
    // The stream of changes never ends, and the network would never come to rest.
    await page.route('**/api/events', (route) => route.abort())
    await page.goto(view.path, { waitUntil: 'networkidle' })
    await view.open?.(page, t)
    await page.waitForLoadState('networkidle')
    const opened = page
      .locator('[role=dialog], [role=alert], :popover-open, details[open]')
      .filter({ visible: true })
    if (view.open) await expect(opened.first()).toBeVisible()
    await page.screenshot({
      path: join(FOLDER, `${name}.${lang}.${scheme}.${width}.png`),
      fullPage: !view.open || view.isWhole === true,
    })
    await page.close()
  }
}

/** All variants of a page on one picture. */
async function makeSheet(browser: Browser, name: string) {
  const cells = looks.map(({ lang, scheme, width }) => {
    const file = `${name}.${lang}.${scheme}.${width}.png`
    return `<figure><img src="${file}" height="520"><figcaption>${file}</figcaption></figure>`
  })
  const style =
    'body{display:flex;flex-wrap:wrap;gap:8px;font:12px sans-serif}figure{margin:0}img{max-height:520px;border:1px solid #999}'
  const file = join(FOLDER, `${name}.html`)
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>${name}</title><style>${style}</style>${cells.join('')}`,
  )
  const page = await browser.newPage({ viewport: { width: 2500, height: 1200 } })
  await page.goto(pathToFileURL(file).href)
  await page.screenshot({ path: join(FOLDER, `${name}.sheet.png`), fullPage: true })
  await page.close()
}

const [wanted = ''] = process.argv.slice(2)
const names = Object.keys(views).filter((name) => name.startsWith(wanted))
if (wanted === '') await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const sendroom = await Sendroom.start()
const browser = await chromium.launch(await browserOptions())
try {
  const admin = await sendroom.signIn()
  await furnish(admin, browser, sendroom.url)
  for (const look of looks) await lookAt(browser, sendroom, admin, look, names)
  for (const name of names) await makeSheet(browser, name)
  console.log(`${names.length} pages in ${looks.length} variants: ${FOLDER}`)
} finally {
  await browser.close()
  await sendroom.stop()
}
