import { type Browser, expect, type Page, type Request } from '@playwright/test'
import type { Api } from './api.ts'
import { pictureOf } from './picture.ts'
import { addAccount, addMember, groupsOf } from './scene.ts'
import { Sendroom } from './sendroom.ts'
import type { schemes, View, Words } from './views.ts'

/** A furnished Sendroom and a new one, and who looks at them. */
export type Gallery = { url: string; admin: Api; newcomer: Api; first: Api }

/** As long as a text may be: formatted, with a word that never ends, emoji, and lines that run from right to left. */
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

/** Opens the gallery for as long as this takes. */
export async function withGallery(browser: Browser, use: (gallery: Gallery) => Promise<void>) {
  const sendroom = await Sendroom.start()
  const empty = await Sendroom.start()
  try {
    await use({ ...(await furnish(sendroom, browser)), first: await empty.signIn() })
  } finally {
    await Promise.all([sendroom.stop(), empty.stop()])
  }
}

/** Something of everything: what it shows is made the way a person would make it. */
export async function furnish(sendroom: Sendroom, browser: Browser): Promise<Omit<Gallery, 'first'>> {
  const admin = await sendroom.signIn()
  const shop = await addAccount(admin, 'Shop Hà Nội')
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
  await admin.call('POST /jobs', {
    body: {
      messageId: long.id,
      instanceId: shop.id,
      jobType: 'SendToGroups',
      groupIds: sales.map(({ id }) => id),
      scheduledAt: '2099-01-01T02:00:00.000Z',
    },
  })
  await addEnds(admin, messageId)
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
  const nobody = await addMember(admin, { use: [], canSendMessages: true, canCreateJobs: true })
  const newcomer = await sendroom.signIn(nobody.username, nobody.password)
  return { url: sendroom.url, admin, newcomer }
}

/** An account that was stopped, and jobs with the ends that are still missing: paused, cancelled, failed. */
async function addEnds(admin: Api, messageId: number) {
  const market = await addAccount(admin, 'Chợ Bến Thành')
  const create = (phoneNumbers: string, scheduledAt?: string) =>
    admin.call('POST /jobs', {
      body: { jobType: 'SendToUsers', messageId, instanceId: market.id, phoneNumbers, scheduledAt },
    })
  const failed = await create('0902220000')
  await expect
    .poll(() => admin.call('GET /jobs/:id', { params: { id: failed.id } }), { timeout: 60_000 })
    .toMatchObject({ status: 'Failed' })
  const cancelled = await create('0901234567', '2099-01-01T02:00:00.000Z')
  await admin.call('POST /jobs/:id/cancel', { params: { id: cancelled.id } })
  const paused = await create('0901234567, 0912345678', '2099-01-01T02:00:00.000Z')
  await admin.call('POST /jobs/:id/pause', { params: { id: paused.id } })
  const bad = Array.from({ length: 10 }, (_, i) => `090${i}110000`)
  const stopped = await create(['0901234567', ...bad, '0912345678'].join('\n'))
  await expect
    .poll(() => admin.call('GET /jobs/:id', { params: { id: stopped.id } }), { timeout: 60_000 })
    .toMatchObject({ waiting: { code: 'account_failures' } })
}

/** What each page is waiting for. `networkidle` never comes: the stream of changes does not end. */
const calls = new WeakMap<Page, Set<Request>>()

/** A page for views of this kind: who looks has signed in already. */
export async function enter(browser: Browser, gallery: Gallery, as: View['as'], lang: string): Promise<Page> {
  const user = as === 'visitor' ? null : gallery[as ?? 'admin']
  const url = user?.url ?? gallery.url
  const session = user && { token: user.session.token, user: JSON.stringify(user.session.user) }
  const localStorage = Object.entries({ lang, ...session }).map(([name, value]) => ({ name, value }))
  const page = await browser.newPage({
    baseURL: url,
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
  })
  const waiting = new Set<Request>()
  calls.set(page, waiting)
  page.on('request', (request) => {
    // The stream of changes never ends.
    if (!request.url().endsWith('/api/events')) waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  return page
}

/** Goes to the view, and opens what it opens as soon as everything is there. */
export async function visit(page: Page, view: View, words: Words) {
  // What the page before has asked for is not answered any more.
  calls.get(page)?.clear()
  await page.goto(view.path)
  await open(page, view, words)
}

/** The same where the page is that of the view already. */
export async function open(page: Page, view: View, words: Words) {
  await settled(page)
  if (!view.open) return
  await view.open(page, words)
  const opened = page.locator('[role=dialog], [role=alert], [role=status], :popover-open, details[open]')
  await expect(opened.filter({ visible: true }).first()).toBeVisible()
  await settled(page)
}

/** In these colors at once: on their way from one scheme to the other they are neither. */
export async function show(page: Page, scheme: (typeof schemes)[number]) {
  await page.emulateMedia({ colorScheme: scheme })
  await page.waitForFunction((name) => document.documentElement.dataset.mantineColorScheme === name, scheme)
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish()
  })
}

async function settled(page: Page) {
  let quietChecks = 0
  const isQuiet = async () => {
    await page.waitForFunction(
      () => document.querySelector('h1') && !document.querySelector('[aria-busy=true]'),
    )
    // What has arrived may ask for more as soon as it is drawn: a chart loads its code.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    quietChecks = calls.get(page)?.size === 0 ? quietChecks + 1 : 0
    return quietChecks >= 3
  }
  await expect.poll(isQuiet, { intervals: [30], timeout: 60_000 }).toBe(true)
}

export async function wordsOf({ url }: Gallery, lang: string): Promise<Words> {
  const words = await (await fetch(`${url}/i18n/${lang}.json`)).json()
  return (key) => key.split('.').reduce((at, name) => at[name], words)
}
