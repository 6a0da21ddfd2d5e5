import type { Page } from '@playwright/test'

const PICTURE = { width: 640, height: 360 }

/** A real PNG with these words, drawn by the browser. */
export async function pictureOf(page: Page, words: string): Promise<Buffer> {
  const url = await page.evaluate(
    ({ words, width, height }) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      const context = canvas.getContext('2d')
      if (!context) throw new Error('No canvas here.')
      const sky = context.createLinearGradient(0, 0, width, height)
      sky.addColorStop(0, '#0b7285')
      sky.addColorStop(1, '#2f9e44')
      context.fillStyle = sky
      context.fillRect(0, 0, width, height)
      context.fillStyle = 'white'
      context.font = 'bold 56px sans-serif'
      context.textAlign = 'center'
      context.fillText(words, width / 2, height / 2 + 20)
      return canvas.toDataURL('image/png')
    },
    { words, ...PICTURE },
  )
  return Buffer.from(url.replace(/^data:image\/png;base64,/, ''), 'base64')
}

/** The decoded pixels of a picture. Equal for two files that differ only in metadata or encoding. */
export function pixelsOf(page: Page, picture: Buffer): Promise<string> {
  return page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/*;base64,${base64}`
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight })
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/png')
  }, picture.toString('base64'))
}
