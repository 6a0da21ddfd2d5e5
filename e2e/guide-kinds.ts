import { join } from 'node:path'
import { main, mainButton, type Studio, visit } from './guide-studio.ts'

/**
 * A picture with a tone, twelve seconds long. ffmpeg made it of a picture of `pictureOf`: `-loop 1 -framerate 5
 * -t 12 -vf scale=480:270 -c:v libx264 -crf 34 -pix_fmt yuv420p -c:a aac -b:a 16k -movflags +faststart`.
 */
const VIDEO = join(import.meta.dirname, 'fixtures/new-dresses.mp4')

/** Forms of messages that are no texts: a video and a poll. */
export async function takeKinds({ page, t, take }: Studio) {
  const chooseKind = (kind: string) => page.getByLabel(t('MESSAGE.KIND'), { exact: true }).selectOption(kind)
  const fill = (label: string, text: string) => page.getByRole('textbox', { name: label }).first().fill(text)
  const answerTo = (number: number) => t('MESSAGE.OPTION').replace('{{number}}', `${number}`)

  await visit(page, '/messages/new')
  await chooseKind('video')
  await fill(t('MESSAGE.CAPTION'), 'Chào {{name|anh chị}}! *Áo dài mới* đã về, mời ghé cửa hàng.')
  await page.locator('input[type=file]').setInputFiles(VIDEO)
  await mainButton(page, t('MESSAGE.REMOVE_FILE')).waitFor()
  // The browser draws the first frame once it has read it.
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 3)
  await take('message-video', main(page))

  await visit(page, '/messages/new')
  await chooseKind('poll')
  await fill(t('MESSAGE.QUESTION'), 'Anh chị ghé cửa hàng ngày nào?')
  await mainButton(page, t('MESSAGE.ADD_OPTION')).click()
  for (const [at, text] of ['Thứ sáu', 'Thứ bảy', 'Chủ nhật'].entries()) await fill(answerTo(at + 1), text)
  await take('message-poll', main(page))
}
