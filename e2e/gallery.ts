import { type Browser, expect, type Page, type Request } from '@playwright/test'
import type { Api } from './api.ts'
import { pictureOf } from './picture.ts'
import { addAccount, addMember, groupsOf } from './scene.ts'
import type { Sendroom } from './sendroom.ts'
import type { View, Words } from './views.ts'

/** A furnished Sendroom, and who looks at it. */
export type Gallery = { url: string; admin: Api; newcomer: Api }

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

/** Something of everything: what it shows is made the way a person would make it. */
export async function furnish(sendroom: Sendroom, browser: Browser): Promise<Gallery> {
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

/** What each page is waiting for. `networkidle` never comes: the stream of changes does not end. */
const calls = new WeakMap<Page, Set<Request>>()

/** A page for views of this kind: who looks has signed in already. */
export async function enter(browser: Browser, gallery: Gallery, as: View['as'], lang: string): Promise<Page> {
  const user = as === 'visitor' ? null : gallery[as ?? 'admin']
  const session = user && { token: user.session.token, user: JSON.stringify(user.session.user) }
  const localStorage = Object.entries({ lang, ...session }).map(([name, value]) => ({ name, value }))
  const page = await browser.newPage({
    baseURL: gallery.url,
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin: gallery.url, localStorage }] },
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
  const opened = page.locator('[role=dialog], [role=alert], :popover-open, details[open]')
  await expect(opened.filter({ visible: true }).first()).toBeVisible()
  await settled(page)
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
