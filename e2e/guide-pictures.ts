/**
 * `npm run guide-pictures` takes the pictures of docs/operators/guide*.md and of the README from a running Sendroom and
 * writes them to docs/pictures/. Each language gets a new Sendroom, because linking an instance changes its pages.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, expect } from '@playwright/test'
import { advisedPace } from '@sendroom/contract/pace'
import type { Api } from './api.ts'
import { browserOptions } from './browser.ts'
import { openAs, wordsOf } from './gallery.ts'
import { takeChannels, takeKinds, takePollResults } from './guide-kinds.ts'
import { takePeoplePictures } from './guide-people.ts'
import { takeApprovalPictures, takeSeriesPictures } from './guide-series.ts'
import { openShop } from './guide-shop.ts'
import { choose, main, mainButton, photograph, type Studio, visit } from './guide-studio.ts'
import { Sendroom } from './sendroom.ts'

const FOLDER = join(import.meta.dirname, '../docs/pictures')
const WIDTH = 1280
/** The languages of the guides, each with the browser's locale. */
const locales = { vi: 'vi_VN.UTF-8', en: 'en_US.UTF-8' }

/** The pictures that staff sees, in the order of the guide. */
async function takeStaffPictures(studio: Studio) {
  const { page, t, shop, take } = studio
  await visit(page, '/instances')
  await take('accounts', main(page))
  await visit(page, '/groups?search=khach+hang')
  await take('groups', main(page), 560)
  await visit(page, '/messages/edit/1')
  await take('message', main(page))
  await takeKinds(studio)
  await visit(page, '/jobs')
  await take('jobs', main(page))
  await takeJobForms(studio)
  await visit(page, `/jobs/${shop.running.id}`)
  await take('job-running', main(page), 820)
  await visit(page, `/jobs/${shop.ended.id}`)
  await take('sent-messages', page.getByRole('region', { name: t('JOB.SENT_MESSAGES') }))
  await mainButton(page, t('JOB.RETRY')).click()
  await take('send-to-remaining', page.getByRole('dialog'))
  await visit(page, '/instances')
  await mainButton(page, t('ACCOUNT.RESUME')).click()
  await take('resume', page.getByRole('dialog'))
  await takeTestSend(studio)
  await takePeoplePictures(studio)
  await takeSeriesPictures(studio)
  await takeLinking(studio)
}

async function takeJobForms({ page, t, shop, take }: Studio) {
  await visit(page, '/jobs/new')
  await choose(page, t('JOB.MESSAGE'), '#1')
  // The groups of the message are selected only after they have been read.
  const chosen = String(shop.groupCount)
  await page
    .getByRole('region', { name: t('JOB.PREVIEW') })
    .getByText(chosen, { exact: true })
    .waitFor()
  await take('new-job', main(page))
  await mainButton(page, t('FORM.CHOOSE_GROUPS')).click()
  await page.getByRole('dialog').getByRole('searchbox').fill('mien bac')
  await take('choose-groups', page.getByRole('dialog'))
  await page.keyboard.press('Escape')
  await page.getByLabel(t('JOB.TYPE')).selectOption('SendToUsers')
  await page
    .getByLabel(t('JOB.PHONE_NUMBERS'))
    .fill('0901234567\n+84 901 234 567\n0912345678\nchị Lan\nanh Minh')
  await page.getByLabel(t('JOB.SCHEDULED_AT')).fill(nextMorning())
  await page.getByText(t('JOB.PREVIEW_REFUSED')).waitFor()
  await take('new-job-numbers', main(page))
}

async function takeTestSend({ page, t, take }: Studio) {
  await visit(page, '/messages/edit/1')
  await mainButton(page, t('MESSAGE.TEST_OPEN')).click()
  await page.getByLabel(t('MESSAGE.TEST_PHONE')).fill('0905551234')
  await mainButton(page, t('MESSAGE.TEST_SEND')).click()
  await expect(page.getByText(patternOf(t('MESSAGE.TEST_DELIVERED')))).toBeVisible({ timeout: 60_000 })
  await take('test-send', page.getByRole('region', { name: t('MESSAGE.TEST_TITLE') }))
}

async function takeLinking(studio: Studio) {
  const { page, t, shop, take } = studio
  const dialog = page.getByRole('dialog')
  await openQr(studio)
  await take('qr', dialog)
  // The simulator links the instance some seconds after it has shown a code.
  await page.getByText(t('ACCOUNT.CONNECTED_NOW')).waitFor()
  await shop.admin.call('GET /instances/:id/logout', { params: shop.unlinked })
  await visit(page, '/instances')
  await mainButton(page, t('ACCOUNT.GET_CODE')).click()
  await dialog.getByRole('button', { name: t('ACCOUNT.GET_CODE') }).click()
  await dialog.getByRole('status').waitFor()
  await take('pairing-code', dialog)
  await page.getByText(t('ACCOUNT.CONNECTED_NOW')).waitFor()
  await shop.admin.call('GET /instances/:id/logout', { params: shop.unlinked })
}

/** Shows the QR code of the newest instance, which is the unlinked one. */
async function openQr({ page, t }: Pick<Studio, 'page' | 't'>) {
  await visit(page, '/instances')
  await mainButton(page, t('ACCOUNT.SCAN_QR')).click()
  await page.getByRole('img', { name: t('ACCOUNT.QR_ALT') }).waitFor()
}

async function takeAdminPictures({ page, t, shop, take }: Studio) {
  await visit(page, '/users/new')
  const fill = (key: string, text: string) => page.getByRole('textbox', { name: t(key) }).fill(text)
  await fill('USER_FORM.USERNAME', 'minh.tran')
  await fill('USER_FORM.EMAIL', 'minh@example.com')
  await fill('USER_FORM.PASSWORD', 'mat khau cua Minh')
  await take('user', main(page))
  await shop.admin.call('PUT /instances/:id', { params: { id: 1 }, body: advisedPace })
  await visit(page, '/instances/edit/1')
  await page.getByText(t('ACCOUNT_FORM.PACE'), { exact: true }).click()
  await page.getByRole('checkbox', { name: t('ACCOUNT_FORM.QUIET') }).check()
  await take('pace', page.getByRole('main').locator('details'))
}

const nextMorning = () => `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T09:00`

/** Matches a text whose placeholders are filled in. */
const patternOf = (text: string) =>
  new RegExp(
    text
      .split(/\{\{.*?\}\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
  )

/** Takes all pictures of one language, those of the README in English. */
async function takePictures(browser: Browser, lang: string) {
  const folder = join(FOLDER, 'guide', lang)
  await mkdir(folder, { recursive: true })
  const sendroom = await Sendroom.start()
  try {
    const t = await wordsOf(sendroom, lang)
    const open = async (user: Api | null) => {
      const page = await openAs(browser, sendroom.url, user, lang)
      await page.setViewportSize({ width: WIDTH, height: 800 })
      const take: Studio['take'] = (name, what, maxHeight) =>
        photograph(page, join(folder, `${name}.webp`), what, maxHeight)
      return { page, t, take }
    }
    const visitor = await open(null)
    await visitor.page.setViewportSize({ width: 1000, height: 600 })
    await visit(visitor.page, '/login')
    await visitor.take('sign-in')
    const first = await open(await sendroom.signIn())
    await visit(first.page, '/dashboard')
    await first.take('first-steps', first.page.getByRole('main').locator('section').first())
    const shop = await openShop(sendroom, browser)
    await takeStaffPictures({ ...(await open(shop.staff)), shop })
    const admin = { ...(await open(shop.admin)), shop }
    await takeAdminPictures(admin)
    await takeApprovalPictures(admin)
    await takePollResults(admin)
    await takeChannels(admin)
    if (lang === 'en') await takeReadmePictures(admin)
  } finally {
    await sendroom.stop()
  }
}

async function takeReadmePictures({ page, t, shop }: Studio) {
  await page.setViewportSize({ width: WIDTH, height: 900 })
  await visit(page, `/jobs/${shop.delivered.id}`)
  await photograph(page, join(FOLDER, 'job.webp'))
  await page.setViewportSize({ width: WIDTH, height: 800 })
  await openQr({ page, t })
  await photograph(page, join(FOLDER, 'qr.webp'))
}

const options = await browserOptions()
for (const [lang, locale] of Object.entries(locales)) {
  // On Linux the form of date fields depends on this variable, not on the locale of the page.
  const browser = await chromium.launch({ ...options, env: { ...process.env, LC_ALL: locale } })
  try {
    await takePictures(browser, lang)
  } finally {
    await browser.close()
  }
}
console.log(`The pictures are in ${FOLDER}.`)
