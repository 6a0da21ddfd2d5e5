import { writeFile } from 'node:fs/promises'
import { expect, type Locator, type Page } from '@playwright/test'
import { untilLoaded } from './gallery.ts'
import type { Shop } from './guide-shop.ts'
import type { Words } from './view.ts'

const MARGIN = 16

export type Studio = {
  page: Page
  t: Words
  shop: Shop
  /** Takes a picture of some elements with a margin, or of the window. `maxHeight` cuts off the rest. */
  take: (name: string, what?: Locator, maxHeight?: number) => Promise<void>
}

export const main = (page: Page) => page.getByRole('main').locator('> *').filter({ visible: true })

export const mainButton = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first()

export async function visit(page: Page, path: string) {
  await page.goto(path)
  await untilLoaded(page)
}

export async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).fill(option)
  await page.getByRole('option', { name: option }).click()
}

/** Writes a picture of the page. `what` may match several elements. */
export async function photograph(page: Page, path: string, what?: Locator, maxHeight?: number) {
  // A pointer or focus would leave a highlight.
  await page.mouse.move(0, 0)
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    window.scrollTo(0, 0)
  })
  const frame = what && { fullPage: true, clip: await frameOf(what, maxHeight) }
  const png = await page.screenshot(frame)
  await writeFile(path, await webpOf(page, png))
}

/** The area of all these elements with a margin. */
async function frameOf(what: Locator, maxHeight = Number.POSITIVE_INFINITY) {
  await expect(what.first()).toBeVisible()
  const found = await Promise.all((await what.all()).map((element) => element.boundingBox()))
  const boxes = found.filter((box) => box !== null)
  const x = Math.max(0, Math.min(...boxes.map((box) => box.x)) - MARGIN)
  const y = Math.max(0, Math.min(...boxes.map((box) => box.y)) - MARGIN)
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + MARGIN - x
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN - y
  return { x, y, width, height: Math.min(height, maxHeight) }
}

/** Converts a PNG to WebP, which has less than half of its size. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight })
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.85)
  }, png.toString('base64'))
  return Buffer.from(url.replace(/^data:image\/webp;base64,/, ''), 'base64')
}
