import { join } from 'node:path'
import { expect } from '@playwright/test'
import { main, mainButton, type Studio, visit } from './guide-studio.ts'

/**
 * A picture with a tone, twelve seconds long. ffmpeg made it of a picture of `pictureOf`: `-loop 1 -framerate 5
 * -t 12 -vf scale=480:270 -c:v libx264 -crf 34 -pix_fmt yuv420p -c:a aac -b:a 16k -movflags +faststart`.
 */
const VIDEO = join(import.meta.dirname, 'fixtures/new-dresses.mp4')

const VOICE = join(import.meta.dirname, '../server/test/fixtures/files/voice.ogg')
const PRICES = {
  name: 'Bảng giá tháng 12.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.7\n'.padEnd(184_000)),
}

/** Forms of messages that are no texts: a video, a document, a voice message and a poll. */
export async function takeKinds({ page, t, take }: Studio) {
  const chooseKind = (kind: string) => page.getByLabel(t('MESSAGE.KIND'), { exact: true }).selectOption(kind)
  const fill = (label: string, text: string) => page.getByRole('textbox', { name: label }).first().fill(text)
  const answerTo = (number: number) => t('MESSAGE.OPTION').replace('{{number}}', `${number}`)
  const upload = async (file: string | typeof PRICES) => {
    await page.locator('input[type=file]').setInputFiles(file)
    await mainButton(page, t('MESSAGE.REMOVE_FILE')).waitFor()
  }

  await visit(page, '/messages/new')
  await chooseKind('video')
  await fill(t('MESSAGE.CAPTION'), 'Chào {{name|anh chị}}! *Áo dài mới* đã về, mời ghé cửa hàng.')
  await upload(VIDEO)
  // The browser draws the first frame once it has read it.
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 3)
  await take('message-video', main(page))

  await visit(page, '/messages/new')
  await chooseKind('document')
  await fill(t('MESSAGE.CAPTION'), 'Gửi anh chị bảng giá tháng 12.')
  await upload(PRICES)
  await take('message-document', main(page))

  await visit(page, '/messages/new')
  await chooseKind('voice')
  await upload(VOICE)
  await take('message-voice', main(page))

  await visit(page, '/messages/new')
  await chooseKind('poll')
  await fill(t('MESSAGE.QUESTION'), 'Anh chị ghé cửa hàng ngày nào?')
  await mainButton(page, t('MESSAGE.ADD_OPTION')).click()
  for (const [at, text] of ['Thứ sáu', 'Thứ bảy', 'Chủ nhật'].entries()) await fill(answerTo(at + 1), text)
  await take('message-poll', main(page))
}

/** The results of a poll in twenty groups, in which members vote. */
export async function takePollResults({ page, t, shop, take }: Studio) {
  const { admin } = shop
  const account = { name: 'Cửa hàng Huế', whapiToken: 'test_linked_votes_hue' }
  const { id: instanceId } = await admin.call('POST /instances', { body: account })
  const findGroups = async () => {
    const { data } = await admin.call('POST /groups/search', {
      body: { instanceIds: [instanceId], pageSize: 100 },
    })
    return data.filter(({ participantCount }) => participantCount > 3).slice(0, 20)
  }
  await expect.poll(async () => (await findGroups()).length, { timeout: 60_000 }).toBe(20)
  const groupIds = (await findGroups()).map(({ id }) => id)
  const content = {
    ...{ kind: 'poll' as const, options: ['Thứ sáu', 'Thứ bảy', 'Chủ nhật'], allowsSeveral: true },
  }
  const message = { textContent: 'Anh chị ghé cửa hàng ngày nào?', content }
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', instanceId, groupIds, message },
  })
  const people = async () => (await admin.call('GET /jobs/:id/poll', { params: { id } })).people
  await expect.poll(people, { timeout: 120_000 }).toBe(60)
  await visit(page, `/jobs/${id}`)
  await take('poll-results', page.getByRole('region', { name: t('JOB.POLL_RESULTS') }))
}

/** The channels of an account, and the job that has posted to one of them. */
export async function takeChannels({ page, t, shop, take }: Studio) {
  const { admin } = shop
  const account = { name: 'Cửa hàng Vinh', whapiToken: 'test_linked_vinh' }
  const { id: instanceId } = await admin.call('POST /instances', { body: account })
  const findChannels = async () =>
    (await admin.call('POST /groups/search', { body: { instanceIds: [instanceId], kind: 'channel' } })).data
  await expect.poll(async () => (await findChannels()).length, { timeout: 60_000 }).toBe(2)
  await visit(page, '/groups?only=channel&search=hang+moi')
  await take('channels', main(page))
  const groupIds = (await findChannels()).slice(0, 1).map(({ id }) => id)
  const message = { textContent: 'Hôm nay giảm 30 % tất cả áo dài.' }
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToGroups', instanceId, groupIds, message },
  })
  const status = async () => (await admin.call('GET /jobs/:id', { params: { id } })).status
  await expect.poll(status, { timeout: 60_000 }).toBe('Completed')
  await visit(page, `/jobs/${id}`)
  await take('channel-post', page.getByRole('region', { name: t('JOB.RESULTS') }))
}
