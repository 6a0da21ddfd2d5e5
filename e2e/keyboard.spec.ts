import type { Locator, Page } from '@playwright/test'
import { pictureOf } from './picture.ts'
import { rowOf, toast } from './steps.ts'
import { expect, test } from './story.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const ACCOUNT = 'Shop Hà Nội'
const TOKEN = 'test_shop-hanoi'

test("the operator's whole day with the keyboard alone, the focus always in sight", async ({
  page,
  fresh,
}) => {
  test.setTimeout(300_000)
  const { keyboard } = page
  const press = (target: Locator, key = 'Enter') => tabTo(page, target).then(() => keyboard.press(key))
  const type = (target: Locator, words: string) => tabTo(page, target).then(() => keyboard.type(words))
  const goTo = (name: string) => press(page.getByRole('navigation').getByRole('link', { name, exact: true }))
  const choose = async (label: string, option: string) => {
    await type(page.getByRole('combobox', { name: label, exact: true }), option)
    await expect(page.getByRole('option', { name: option })).toBeVisible()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: label, exact: true })).toHaveValue(
      new RegExp(`${option}$`),
    )
  }
  const pickGroups = async (words: string) => {
    await press(page.getByRole('button', { name: 'Choose groups' }))
    const picker = page.getByRole('dialog', { name: 'Choose groups' })
    await expect(picker.getByRole('searchbox')).toBeFocused()
    await keyboard.type(words)
    await press(picker.getByRole('checkbox', { name: 'Select all' }), 'Space')
    await press(picker.getByRole('button', { name: 'Confirm' }))
    await expect(picker).toBeHidden()
  }

  await test.step('signs in', async () => {
    await page.goto(fresh.url)
    await type(page.getByLabel('Ngôn ngữ'), 'en')
    await type(page.getByLabel('Username'), 'admin')
    await type(page.getByLabel('Password', { exact: true }), fresh.password)
    await keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  })

  await test.step('links an account; the dialog keeps the focus and gives it back', async () => {
    await goTo('Accounts')
    await press(page.getByRole('link', { name: 'Add account' }).first())
    await type(page.getByLabel('Name'), ACCOUNT)
    await type(page.getByLabel('API token'), TOKEN)
    await keyboard.press('Enter')
    await expect(toast(page, 'Instance created successfully!')).toBeVisible()
    const scan = rowOf(page, ACCOUNT).getByRole('button', { name: 'Scan QR' })
    await press(scan)
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${ACCOUNT}` })
    await expect(dialog.getByText('The account is connected.')).toBeVisible()
    for (let i = 0; i < 5; i++) {
      await keyboard.press('Tab')
      await expect(dialog.locator(':focus')).toHaveCount(1)
    }
    await keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(scan).toBeFocused()
    await expect(rowOf(page, ACCOUNT)).toContainText('Connected')
  })

  await test.step('syncs the groups', async () => {
    await goTo('Groups')
    await press(page.getByRole('button', { name: 'Sync groups' }))
    await expect(page.getByText(`The groups of ${ACCOUNT} are up to date.`)).toBeVisible()
  })

  await test.step('writes a message with an image', async () => {
    const buffer = await pictureOf(page, 'VIP −20 %')
    await goTo('Messages')
    await press(page.getByRole('link', { name: 'Add message' }).first())
    await type(page.getByRole('textbox', { name: 'Text' }), '20 % off today')
    await choose('Account', ACCOUNT)
    const chooser = page.waitForEvent('filechooser')
    await press(page.getByRole('button', { name: 'Image' }))
    await (await chooser).setFiles({ name: 'vip.png', mimeType: 'image/png', buffer })
    await expect(page.getByRole('img', { name: 'New image' })).toBeVisible()
    const save = page.getByRole('button', { name: 'Save' })
    await page.route('**/api/messages', (route) => route.fulfill({ status: 500 }), { times: 1 })
    await press(save)
    await expect(toast(page, 'Failed to create message.')).toBeVisible()
    await expect(save).toBeFocused()
    await keyboard.press('Enter')
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
  })

  await test.step('creates a job with groups', async () => {
    await goTo('Jobs')
    await press(page.getByRole('link', { name: 'Add job' }).first())
    await choose('Message', '20 % off today')
    await expect(page.getByRole('combobox', { name: 'Account' })).toHaveValue(ACCOUNT)
    await pickGroups('vip customers 💎 2')
    await expect(page.getByText('3 selected')).toBeVisible()
    await press(page.getByRole('button', { name: 'Create job' }))
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
  })

  await test.step('watches it finish, and reads who got it', async () => {
    await press(rowOf(page, '20 % off today').getByRole('button', { name: 'View details' }))
    await expect(page.getByRole('main').getByText('Completed', { exact: true })).toBeVisible()
    const table = page.getByRole('table', { name: 'Sent messages' })
    await expect(rowOf(table, /VIP customers 💎 2/)).toHaveCount(3)
    // It scrolls when it is long, so the keyboard comes to it.
    await tabTo(page, table.locator('..'))
    expect(fresh.accepted(TOKEN).map(({ caption }) => caption)).toEqual(Array(3).fill('20 % off today'))
  })

  await test.step("exports a group's participants", async () => {
    await goTo('Groups')
    await type(page.getByRole('searchbox'), 'VIP customers 💎 2')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/search=VIP/)
    const download = page.waitForEvent('download')
    await press(page.getByRole('button', { name: /^Export the members of VIP customers 💎 2/ }).first())
    expect((await download).suggestedFilename()).toMatch(/^Participants_VIP customers .*\.xlsx$/)
  })

  await test.step('signs out', async () => {
    await press(page.getByRole('banner').getByRole('button', { name: 'admin' }))
    await press(page.getByRole('button', { name: 'Logout' }))
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByLabel('Username')).toBeVisible()
  })
})

/** Presses Tab until the target has the focus. Whatever has it on the way must be in sight and look like it. */
async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
    expect(await page.evaluate(problemOfFocus)).toBe('')
  }
  throw new Error(`Tab does not lead to ${target}`)
}

/** What is wrong with what has the focus now, or with what had it before: its look must have changed since. */
async function problemOfFocus(): Promise<string> {
  type Seen = { element: Element; look: string }
  const memory = window as unknown as { seen?: Seen } // a place in the page, from one Tab to the next
  const lookOf = async (element: Element) => {
    await Promise.allSettled(element.getAnimations().map(({ finished }) => finished))
    const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(element)
    return [outline, boxShadow, borderColor, backgroundColor].join(' | ')
  }
  const { seen } = memory
  delete memory.seen
  const element = document.activeElement
  if (seen?.element.isConnected && seen.element !== element && (await lookOf(seen.element)) === seen.look)
    return `The focus can't be seen on ${seen.element.outerHTML.slice(0, 200)}`
  // Between the last and the first element the browser itself has it.
  if (!element || element === document.body) return ''
  memory.seen = { element, look: await lookOf(element) }
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect()
  const isInSight = top < innerHeight && bottom > 0 && left < innerWidth && right > 0 && width * height > 0
  return isInSight ? '' : `The focus is out of sight on ${element.outerHTML.slice(0, 200)}`
}
