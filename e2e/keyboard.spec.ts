import type { Locator, Page } from '@playwright/test'
import { pictureOf } from './picture.ts'
import { expect, test } from './scenario.ts'
import { rowOf, toast } from './steps.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const INSTANCE = 'Shop Hà Nội'
const TOKEN = 'test_shop-hanoi'

test('an operator can do all daily tasks by keyboard, with a visible focus at every step', async ({
  page,
  fresh,
}) => {
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

  await test.step('links an instance; the dialog traps the focus and returns it', async () => {
    await goTo('Accounts')
    await press(page.getByRole('link', { name: 'Add account' }).first())
    await type(page.getByLabel('Name'), INSTANCE)
    await type(page.getByLabel('API token'), TOKEN)
    await keyboard.press('Enter')
    await expect(toast(page, 'Instance created successfully!')).toBeVisible()
    const scan = rowOf(page, INSTANCE).getByRole('button', { name: 'Scan QR' })
    await press(scan)
    const dialog = page.getByRole('dialog', { name: `Scan QR: ${INSTANCE}` })
    await expect(dialog.getByText('The account is connected.')).toBeVisible()
    for (let i = 0; i < 5; i++) {
      await keyboard.press('Tab')
      await expect(dialog.locator(':focus')).toHaveCount(1)
    }
    await keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(scan).toBeFocused()
    await expect(rowOf(page, INSTANCE)).toContainText('Connected')
  })

  await test.step('syncs the groups', async () => {
    await goTo('Groups')
    await press(page.getByRole('button', { name: 'Sync groups' }))
    await expect(page.getByText(`The groups of ${INSTANCE} are synced.`)).toBeVisible()
  })

  await test.step('writes a message with an image', async () => {
    const buffer = await pictureOf(page, 'VIP −20 %')
    await goTo('Messages')
    await press(page.getByRole('link', { name: 'Add message' }).first())
    await type(page.getByRole('textbox', { name: 'Text' }), '20 % off today')
    await choose('Account', INSTANCE)
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
    await expect(page.getByRole('combobox', { name: 'Account' })).toHaveValue(INSTANCE)
    await pickGroups('khách vip 💎 quận 1')
    await expect(page.getByText('3 selected')).toBeVisible()
    await press(page.getByRole('button', { name: 'Create job' }))
    await expect(toast(page, 'Job created successfully!')).toBeVisible()
  })

  await test.step('watches the job end and reads who got the message', async () => {
    await press(rowOf(page, '20 % off today').getByRole('button', { name: 'View details' }))
    await expect(page.getByRole('main').getByText('Completed', { exact: true })).toBeVisible()
    const table = page.getByRole('table', { name: 'Result for each recipient' })
    await expect(rowOf(table, /Khách VIP 💎 Quận 1/)).toHaveCount(3)
    // A long log scrolls, so the keyboard must reach its frame.
    await tabTo(page, page.getByRole('table', { name: 'Logs' }).locator('..'))
    expect(fresh.accepted(TOKEN).map(({ caption }) => caption)).toEqual(Array(3).fill('20 % off today'))
  })

  await test.step("exports a group's participants", async () => {
    await goTo('Groups')
    await type(page.getByRole('searchbox'), 'Khách VIP 💎 Quận 1')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/search=Kh/)
    const download = page.waitForEvent('download')
    await press(
      rowOf(page, /Khách VIP 💎 Quận 1/)
        .getByRole('button', { name: 'Export members' })
        .first(),
    )
    expect((await download).suggestedFilename()).toMatch(/^Participants_Khách VIP .*\.xlsx$/)
  })

  await test.step('signs out', async () => {
    await press(page.getByRole('banner').getByRole('button', { name: 'admin' }))
    await press(page.getByRole('button', { name: 'Logout' }))
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByLabel('Username')).toBeVisible()
  })
})

/** Presses Tab until the target has the focus. Every element on the way must be visible and look focused. */
async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
    expect(await page.evaluate(problemOfFocus)).toBe('')
  }
  throw new Error(`Tab does not lead to ${target}`)
}

/**
 * Describes what is wrong with the focus, or returns ''. The focused element must be in the viewport. The previously
 * focused one must look different now.
 */
async function problemOfFocus(): Promise<string> {
  type Focused = { element: Element; look: string }
  const memory = window as unknown as { previous?: Focused } // kept in the page from one Tab to the next
  const lookOf = async (element: Element) => {
    await Promise.allSettled(element.getAnimations().map(({ finished }) => finished))
    const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(element)
    return [outline, boxShadow, borderColor, backgroundColor].join(' | ')
  }
  const { previous } = memory
  delete memory.previous
  const active = document.activeElement
  // The label of a radio button without a size is shown, and has the ring.
  const isSizeless = active instanceof HTMLInputElement && active.offsetWidth * active.offsetHeight === 0
  const element = isSizeless ? (active.labels?.[0] ?? active) : active
  if (
    previous?.element.isConnected &&
    previous.element !== element &&
    (await lookOf(previous.element)) === previous.look
  )
    return `The focus can't be seen on ${previous.element.outerHTML.slice(0, 200)}`
  // Between the last and the first element of the page, the browser itself has the focus.
  if (!element || element === document.body) return ''
  memory.previous = { element, look: await lookOf(element) }
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect()
  const isInSight = top < innerHeight && bottom > 0 && left < innerWidth && right > 0 && width * height > 0
  return isInSight ? '' : `The focus is out of sight on ${element.outerHTML.slice(0, 200)}`
}
