import { expect, type Locator, type Page } from '@playwright/test'

/** Signs in on the login page, after switching it to English. */
export async function signIn(page: Page, username: string, password: string) {
  // The address changes before the page does, and the page before may have more than one drop-down.
  await page.locator('input[name=username]').waitFor()
  await page.getByRole('combobox').selectOption('en')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a page by its link in the sidebar. */
export const goTo = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()

export const rowOf = (place: Page | Locator, name: string | RegExp) => place.getByRole('row', { name })

export const toast = (page: Page, words: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(words)

/** Answers the confirm dialog with this question. */
export async function confirm(page: Page, question: string | RegExp, answer: string) {
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(question)
  // The last button of that name, because the dialog's cross is called Close too.
  await dialog.getByRole('button', { name: answer, exact: true }).last().click()
  await expect(dialog).toBeHidden()
}

/** Chooses an option of a searchable drop-down. The form may grow meanwhile: a click beside it closes the options. */
export async function choose(page: Page, label: string, option: string) {
  const box = page.getByRole('combobox', { name: label, exact: true })
  await expect(async () => {
    // Opens the options, even if the option is chosen already: then there is nothing to type.
    await box.click()
    await box.fill(option)
    await page.getByRole('option', { name: option }).click({ timeout: 10_000 })
  }).toPass()
}

/** Chooses all groups whose name contains these words, with the picker's search and its "Select all". */
export async function pickGroups(page: Page, words: string) {
  await page.getByRole('button', { name: 'Choose groups' }).click()
  const picker = page.getByRole('dialog', { name: 'Choose groups' })
  await picker.getByRole('searchbox').fill(words)
  await picker.getByRole('checkbox', { name: 'Select all' }).check()
  await picker.getByRole('button', { name: 'Confirm' }).click()
  await expect(picker).toBeHidden()
}

/** Opens the page of the job with this message from the list. */
export async function viewJob(page: Page, title: string) {
  await rowOf(page, title).getByRole('button', { name: 'View details' }).click()
  await expect(page.getByRole('heading', { name: /^Job #/ })).toBeVisible()
}

/** Marks the page, so that `expectNoReload` can tell whether it was reloaded since. */
export const markPage = (page: Page) => page.evaluate(() => Object.assign(window, { isSamePage: true }))

export const expectNoReload = async (page: Page) =>
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
