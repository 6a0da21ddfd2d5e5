import { type Browser, expect, type Page, type Request } from '@playwright/test'
import { type Api, storageOf } from './api.ts'
import { addInstance, addMember, groupsOf, setGroupPause, untilJob } from './fixture.ts'
import { furnishImports, furnishPeople } from './people-gallery.ts'
import { pictureOf } from './picture.ts'
import { Sendroom } from './sendroom.ts'
import { anyToast, forgetAnswers, isAnswered, type schemes, type View, type Words } from './view.ts'

/** Two Sendrooms to look at, one with sample data and an empty one, and API clients for their users. */
export type Gallery = { url: string; admin: Api; newcomer: Api; reader: Api; first: Api }

/** A text of the maximum length with formatting, a very long word, emoji and right-to-left lines. */
const longText = [
  'تخفيضات *اليوم* على كل شيء 🎉 تفضلوا بزيارتنا',
  '*Ưu đãi cuối tuần* 👨‍👩‍👧‍👦 cho _khách quen_, ~500.000 đ~ *350.000 đ*',
  '> Mua hai tặng một',
  '- Áo dài\n- Nón lá',
  '```MA-GIAM-20```',
  `https://shop.example.vn/${'uu-dai-cuoi-tuan-'.repeat(20)}`,
  'Aa'.repeat(200),
  'Hẹn gặp lại ở cửa hàng. '.repeat(200),
]
  .join('\n')
  .slice(0, 4000)

/** Starts both Sendrooms, calls `use` with them, and stops them. */
export async function withGallery(browser: Browser, use: (gallery: Gallery) => Promise<void>) {
  const [sendroom, empty] = await Promise.all([Sendroom.start(), Sendroom.start()])
  try {
    await use({ ...(await furnish(sendroom, browser)), first: await empty.signIn() })
  } finally {
    await Promise.all([sendroom.stop(), empty.stop()])
  }
}

/** Adds sample data of every kind through the API. */
export async function furnish(sendroom: Sendroom, browser: Browser): Promise<Omit<Gallery, 'first'>> {
  const admin = await sendroom.signIn()
  const shop = await addInstance(admin, 'Shop Hà Nội')
  const page = await browser.newPage()
  await page.goto(sendroom.url)
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
  const long = await admin.call('POST /messages', {
    body: { textContent: longText, instanceId: shop.id, groupIds: sales.map(({ id }) => id) },
  })
  const job = { messageId, instanceId: shop.id }
  const first = await admin.call('POST /jobs', {
    body: { ...job, jobType: 'SendToGroups', groupIds: sales.map(({ id }) => id) },
  })
  await untilJob(admin, first.id, { status: 'Completed' })
  // Numbers that end in 0000 are not on WhatsApp, so this job ends with a failed recipient.
  const last = await admin.call('POST /jobs', {
    body: { ...job, jobType: 'SendToUsers', phoneNumbers: '0901110000, 0907654321' },
  })
  await untilJob(admin, last.id, { status: 'Completed' })
  await setGroupPause(admin, shop, 600)
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
  await admin.call('POST /jobs', {
    body: {
      messageId: long.id,
      instanceId: shop.id,
      jobType: 'SendToGroups',
      groupIds: sales.map(({ id }) => id),
      scheduledAt: '2099-01-01T02:00:00.000Z',
    },
  })
  await addEndedJobs(admin, messageId)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  await admin.call('POST /instances', {
    body: {
      name: 'Đại lý Đà Nẵng',
      whapiToken: 'test_dealer',
      whatsAppNumber: '84912345678',
      expiredTime: inDays(5),
    },
  })
  await furnishPeople(admin)
  const groupIds = [...sales, ...vips].map(({ id }) => id)
  await admin.call('POST /group-sets', { body: { name: 'Miền Bắc', instanceId: shop.id, groupIds } })
  await furnishImports(admin)
  // Nothing listens there. Nothing may leave this machine.
  const receiver = { url: 'http://127.0.0.1:9/events', allowsOwnNetwork: true, topics: ['trouble' as const] }
  await admin.call('POST /receivers', { body: { ...receiver, name: 'Hệ thống bán hàng', isActive: true } })
  await admin.call('POST /receivers', { body: { ...receiver, name: 'ERP', isActive: false } })
  const reads = await addMember(admin, { use: [shop], canSendMessages: false, canCreateJobs: false })
  const nobody = await addMember(admin, { use: [], canSendMessages: true, canCreateJobs: true })
  const newcomer = await sendroom.signIn(nobody.username, nobody.password)
  const reader = await sendroom.signIn(reads.username, reads.password)
  return { url: sendroom.url, admin, newcomer, reader }
}

/** Adds a paused, a cancelled and a failed job, and an instance that was stopped after failures. */
async function addEndedJobs(admin: Api, messageId: number) {
  const market = await addInstance(admin, 'Chợ Bến Thành')
  const create = (phoneNumbers: string, scheduledAt?: string) =>
    admin.call('POST /jobs', {
      body: { jobType: 'SendToUsers', messageId, instanceId: market.id, phoneNumbers, scheduledAt },
    })
  const failed = await create('0902220000')
  await untilJob(admin, failed.id, { status: 'Failed' })
  const cancelled = await create('0901234567', '2099-01-01T02:00:00.000Z')
  await admin.call('POST /jobs/:id/cancel', { params: { id: cancelled.id } })
  const paused = await create('0901234567, 0912345678', '2099-01-01T02:00:00.000Z')
  await admin.call('POST /jobs/:id/pause', { params: { id: paused.id } })
  const bad = Array.from({ length: 10 }, (_, i) => `090${i}110000`)
  const stopped = await create(['0901234567', ...bad, '0912345678'].join('\n'))
  await untilJob(admin, stopped.id, { waiting: { code: 'account_failures' } })
}

/** The pending requests per page. `networkidle` can't be used, because the event stream never ends. */
const calls = new WeakMap<Page, Set<Request>>()

/** Opens a page on which the view's user is signed in. */
export function enter(browser: Browser, gallery: Gallery, as: View['as'], lang: string): Promise<Page> {
  const user = as === 'visitor' ? null : gallery[as ?? 'admin']
  return openAs(browser, user?.url ?? gallery.url, user, lang)
}

/** Opens a page in a language, on which the user is signed in, or nobody. */
export async function openAs(browser: Browser, url: string, user: Api | null, lang: string): Promise<Page> {
  const stored = user ? storageOf(user.session, lang) : { lang }
  const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }))
  const page = await browser.newPage({
    baseURL: url,
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
  })
  const waiting = new Set<Request>()
  calls.set(page, waiting)
  page.on('request', (request) => {
    // The event stream never ends.
    if (!request.url().endsWith('/api/events')) waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  page.on('response', (response) => {
    // Requests that the page before still waited for are aborted without an event.
    if (response.request().isNavigationRequest()) waiting.clear()
  })
  return page
}

/**
 * Goes from a view to another one inside the app, as a link does: loading the app anew takes several times as long.
 * `visit` is left for views where something would stay: answers in place of the server's, or a dialog.
 */
export async function move(page: Page, from: View, view: View, words: Words) {
  const keepsAnswers = from.answers || view.answers || isAnswered(page)
  if (view.as !== 'visitor' && !keepsAnswers && (await follow(page, view))) await open(page, view, words)
  else await visit(page, view, words)
}

/** Closes what is open and goes to the view's address. Returns whether that worked. */
async function follow(page: Page, view: View): Promise<boolean> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate(() => {
    for (const close of document.querySelectorAll<HTMLElement>('[aria-live=polite] button')) close.click()
    for (const list of document.querySelectorAll<HTMLElement>(':popover-open')) list.hidePopover()
  })
  const dialog = page.locator('[role=dialog]')
  if ((await dialog.count()) > 0) await page.keyboard.press('Escape')
  if ((await dialog.count()) > 0) return false
  if (routeOf(page.url()) === routeOf(view.path)) {
    // The router would keep the page, with what was typed and opened there. Only an Admin has this other page.
    if (view.as !== undefined && view.as !== 'first') return false
    await push(page, '/settings')
  }
  await push(page, view.path)
  return true
}

/** An address without its numbers and its search: where two of them are the same, the router keeps the page. */
const routeOf = (address: string) => new URL(address, 'http://localhost').pathname.replace(/\d+/g, '')

/** Has the router go to this address, and waits until the page before has disappeared. */
async function push(page: Page, path: string) {
  const heading = await page.locator('h1').first().elementHandle()
  const isElsewhere = await page.evaluate(async (href) => {
    const { pathname } = location
    const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: AnyRouter } // TanStack puts it there
    await router.navigate({ href, ignoreBlocker: true })
    return location.pathname !== pathname
  }, path)
  if (isElsewhere) await page.waitForFunction((heading) => !heading?.isConnected, heading)
}

type AnyRouter = { navigate: (to: { href: string; ignoreBlocker: boolean }) => Promise<void> }

/** Loads the app at the view's address, waits until the page is there, and opens its dialog, if any. */
export async function visit(page: Page, view: View, words: Words) {
  forgetAnswers(page)
  // A call of the previous page may still be on its way.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const [path, json] of Object.entries(view.answers ?? {}))
    await page.route(`**/api${path}`, (route) => route.fulfill({ json }))
  await page.goto(view.path)
  await open(page, view, words)
}

/** Like `visit`, on a page that is at the view's address already. */
export async function open(page: Page, view: View, words: Words) {
  // A toast that comes by itself may have gone before all else is there.
  if (view.open !== anyToast) await untilLoaded(page)
  if (!view.open) return
  await view.open(page, words)
  const opened = page.locator(
    '[role=dialog], aside[data-open], [role=listbox], [role=alert], [role=status], :popover-open, details[open]',
  )
  await expect(opened.filter({ visible: true }).first()).toBeVisible()
  if (!view.isBusy) await untilLoaded(page)
}

/** Switches the language by the list in the header, even if a dialog covers it. What is open stays open. */
export async function speak(page: Page, lang: string) {
  const html = page.locator(`html[lang|=${lang === 'cn' ? 'zh' : lang}]`)
  if ((await html.count()) > 0) return
  await page.locator('select:has(option[value=cn])').selectOption(lang, { force: true })
  await html.waitFor()
  await untilLoaded(page, 1)
}

/** Switches the color scheme and skips the transition between the two. */
export async function show(page: Page, scheme: (typeof schemes)[number]) {
  await page.emulateMedia({ colorScheme: scheme })
  await page.waitForFunction((name) => document.documentElement.dataset.mantineColorScheme === name, scheme)
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish()
  })
}

/** Waits until nothing is busy and no request is pending, so many times in a row. */
export async function untilLoaded(page: Page, times = 2) {
  let quietChecks = 0
  const isQuiet = async () => {
    await page.waitForFunction(
      () => document.querySelector('h1') && !document.querySelector('[aria-busy=true]'),
    )
    // A rendered answer may cause more requests, such as a component's code.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    quietChecks = calls.get(page)?.size === 0 ? quietChecks + 1 : 0
    return quietChecks >= times
  }
  await expect.poll(isQuiet, { intervals: [30], timeout: 60_000 }).toBe(true)
}

export async function wordsOf({ url }: { url: string }, lang: string): Promise<Words> {
  const words = await (await fetch(`${url}/i18n/${lang}.json`)).json()
  return (key) => key.split('.').reduce((at, name) => at[name], words)
}
