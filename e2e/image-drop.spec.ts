import type { Page } from '@playwright/test'
import { uniqueName } from './fixture.ts'
import { pictureOf, pixelsOf } from './picture.ts'
import { expect, test } from './scenario.ts'
import { rowOf, toast } from './steps.ts'

test('of a dropped and a pasted image, the last one is saved', async ({ sendroom, admin, openAs }) => {
  const text = uniqueName('With an image')
  const page = await openAs(admin, '/messages/new')
  await page.getByRole('textbox', { name: 'Text' }).fill(text)
  const dropped = await pictureOf(page, 'dropped')
  const pasted = await pictureOf(page, 'pasted')
  const shown = page.getByRole('img', { name: 'New image' })
  const pixelsShown = () =>
    shown.evaluate(async (image: HTMLImageElement) => {
      // Another picture may replace this one meanwhile.
      await image.decode().catch(() => {})
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight })
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/png')
    })

  await dispatch(page, 'drop', dropped)
  await expect(shown).toBeVisible()
  await expect.poll(pixelsShown).toBe(await pixelsOf(page, dropped))
  await dispatch(page, 'paste', pasted)
  await expect.poll(pixelsShown).toBe(await pixelsOf(page, pasted))

  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Message created successfully!')).toBeVisible()
  await expect(rowOf(page, text).locator('img')).toBeVisible()
  const { data } = await admin.call('GET /messages', { query: { search: text } })
  const image = await fetch(`${sendroom.url}${data[0]?.imageUrl}`)
  expect(await pixelsOf(page, Buffer.from(await image.arrayBuffer()))).toBe(await pixelsOf(page, pasted))
})

/** Dispatches the event that a browser fires for a dropped or pasted file. */
const dispatch = (page: Page, how: 'drop' | 'paste', picture: Buffer) =>
  page.evaluate(
    ({ how, bytes }) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array(bytes)], 'picture.png', { type: 'image/png' }))
      const common = { bubbles: true, cancelable: true }
      const event =
        how === 'drop'
          ? new DragEvent('drop', { ...common, dataTransfer: transfer })
          : new ClipboardEvent('paste', { ...common, clipboardData: transfer })
      document.activeElement?.dispatchEvent(event)
    },
    { how, bytes: [...picture] },
  )
