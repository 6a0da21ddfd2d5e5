import type { Page } from '@playwright/test'

/** Returns the app's text for a translation key. */
export type Words = (key: string) => string
export type View = {
  path: string
  /** Answers to calls in place of the server's, by their paths below /api. */
  answers?: Record<string, object>
  open?: (page: Page, words: Words) => Promise<unknown>
  /** Takes a full-page screenshot, even though the view opens something. */
  isWhole?: boolean
  /** A text that was made on opening, such as a question or a toast, stays in the language of that moment. */
  keepsWords?: boolean
  /** An action waits for the dialog, so the page stays busy. */
  isBusy?: boolean
  /**
   * The user, by default the Admin. `newcomer`: a Member without instances. `reader`: a Member with one instance,
   * without the right to write. `first`: the Admin of an empty Sendroom.
   */
  as?: 'visitor' | 'newcomer' | 'reader' | 'first'
}

/** Vietnamese comes first, because its texts are the longest. */
export const languages = ['vi', 'en', 'cn'] as const
export const schemes = ['light', 'dark'] as const
export const widths = [1280, 360]

export const button = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first()

/** Presses the first row's action of this name. On a phone most of them are in the row's menu. */
export async function pressRowAction(page: Page, t: Words, key: string) {
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

/** The pages that show answers which are not the server's. */
const answered = new WeakSet<Page>()
export const isAnswered = (page: Page) => answered.has(page)
export const forgetAnswers = (page: Page) => answered.delete(page)

/** Answers calls in place of the server until the next view. `match` is a path below /api, with `*` for ids. */
export function answer(page: Page, match: string, status: number, body: object) {
  answered.add(page)
  return page.route(`**/api${match}`, (route) => route.fulfill({ status, json: body }))
}

/** Changes the server's answers to calls until the next view. */
export function patch(page: Page, match: string, change: (body: Record<string, unknown>) => object) {
  answered.add(page)
  return page.route(`**/api${match}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change(await response.json()) })
  })
}

/** Changes a field of a form that somebody else saves first. */
export async function meetConflict(page: Page, t: Words, field: string, mine: string) {
  const { pathname } = new URL(page.url())
  const id = pathname.split('/').at(-1)
  const feature = pathname.split('/')[1]
  await page.route(`**/api/${feature}/${id}`, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 409, json: { code: 'stale_version', error: '' } })
      : route.fallback(),
  )
  await page.getByRole('textbox', { name: t(field) }).fill(mine)
  await button(page, t('COMMON.SAVE')).click()
}

export const selectFirst = (page: Page) => page.getByRole('main').getByRole('checkbox').nth(1).check()

/** On a phone opens the first row's menu, elsewhere shows the tooltip of the first row's last action. */
export async function showRowActions(page: Page, t: Words) {
  const actions = page.getByRole('main').locator('tbody tr').first().getByRole('button')
  await actions.last().waitFor()
  const more = button(page, t('COMMON.MORE'))
  if (await more.isVisible()) await more.click()
  else await actions.last().hover()
}

export const anyToast = (page: Page, t: Words) =>
  page
    .getByRole('region', { name: t('COMMON.NOTIFICATIONS') })
    .getByText(/./)
    .first()
    .waitFor()
