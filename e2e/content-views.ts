import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { choose } from './steps.ts'
import { answer, button, patch, type View, type Words } from './view.ts'

const pathOf = (file: string) => join(import.meta.dirname, '../server/test/fixtures/files', file)

const chooseKind = (page: Page, t: Words, kind: string) =>
  page.getByLabel(t('MESSAGE.KIND'), { exact: true }).selectOption(kind)
const fill = (page: Page, label: string, text: string) =>
  page.getByRole('textbox', { name: label }).first().fill(text)
const answerTo = (t: Words, number: number) => t('MESSAGE.OPTION').replace('{{number}}', `${number}`)

type Message = { kind: string; label?: string; text?: string; file?: string }

/** Begins a message of this kind, and uploads its file. */
async function begin(page: Page, t: Words, { kind, label, text = '', file }: Message) {
  await chooseKind(page, t, kind)
  if (label) await fill(page, t(label), text)
  if (file) await page.locator('input[type=file]').setInputFiles(pathOf(file))
}

/** A form in which a file is uploaded. */
const withFile = (message: Message & { file: string }): View => ({
  path: '/messages/new',
  open: async (page, t) => {
    await begin(page, t, message)
    await button(page, t('MESSAGE.REMOVE_FILE')).waitFor()
  },
  isWhole: true,
})

async function writePoll(page: Page, t: Words) {
  await begin(page, t, { kind: 'poll', label: 'MESSAGE.QUESTION', text: 'Anh chị {{name}} ghé ngày nào?' })
  await button(page, t('MESSAGE.ADD_OPTION')).click()
  for (const [at, text] of ['Thứ sáu', 'Cuối tuần này, cả hai ngày', 'Để tuần sau'].entries())
    await fill(page, answerTo(t, at + 1), text)
}

async function writePlace(page: Page, t: Words) {
  await begin(page, t, { kind: 'location', label: 'MESSAGE.PLACE', text: 'Cửa hàng Bến Thành' })
  await fill(page, t('MESSAGE.LATITUDE'), '10.7725')
  await fill(page, t('MESSAGE.LONGITUDE'), '106.698')
  await fill(page, t('MESSAGE.ADDRESS'), 'Lê Lợi, Quận 1')
}

const caption = '*Chỉ hôm nay* cho {{name}}'
const file = `${'0'.repeat(32)}.pdf`
const facts = { file, fileName: 'Bảng giá.pdf', mimeType: 'application/pdf', size: 1_500_000, seconds: null }
const poll = {
  kind: 'poll',
  options: ['Thứ sáu', 'Cuối tuần này', 'Để tuần sau'],
  allowsSeveral: true,
}
const results = {
  options: poll.options.map((name, at) => ({ name, votes: [12, 30, 0][at] })),
  ...{ messages: 20, people: 36, updatedAt: '2026-11-25T03:00:00.000Z' },
}
const votes = { counts: { 'Thứ sáu': 1, 'Cuối tuần này': 3 }, updatedAt: results.updatedAt }
const mentionedBefore = {
  total: 2,
  first: [
    { id: 1, name: 'Khách sỉ miền Tây' },
    { id: 2, name: 'Cộng tác viên Sài Gòn' },
  ],
}
const place = { kind: 'location', latitude: 10.7725, longitude: 106.698, address: 'Lê Lợi, Quận 1' }
const contents = [
  ...['video', 'document', 'audio', 'voice'].map((kind) => ({
    textContent: 'Bảng giá.pdf',
    content: { ...facts, kind },
  })),
  { textContent: 'Anh chị ghé cửa hàng ngày nào trong tuần này ạ?', content: poll },
  { textContent: 'Cửa hàng Bến Thành', content: place },
]
const listed = {
  data: contents.map((message, n) => ({
    ...{
      id: n + 1,
      hasVariables: false,
      imageUrl: null,
      instanceId: null,
      instanceName: null,
      isShared: true,
    },
    ...{ createdByUserName: 'admin', createdAt: '2026-11-22T20:12:00.000Z' },
    ...message,
  })),
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount: 6, totalPages: 1 },
    ...{ hasPrevious: false, hasNext: false },
  },
}

/** Messages of every kind: their forms, with the preview beside, and where they are shown. */
export const contentViews: Record<string, View> = {
  'messages-kinds': { path: '/messages', answers: { '/messages?*': listed } },
  'messages-video': withFile({ kind: 'video', label: 'MESSAGE.CAPTION', text: caption, file: 'video.mp4' }),
  'messages-misfit': withFile({ kind: 'video', label: 'MESSAGE.CAPTION', text: caption, file: 'hevc.mp4' }),
  'messages-document': withFile({
    ...{ kind: 'document', label: 'MESSAGE.CAPTION' },
    ...{ text: `${caption}\n${'Áo dài lụa tơ tằm. '.repeat(60)}`, file: 'video.mp4' },
  }),
  'messages-audio': withFile({ kind: 'audio', file: 'sound.mp3' }),
  'messages-voice': withFile({ kind: 'voice', file: 'voice.ogg' }),
  'messages-poll': { path: '/messages/new', open: writePoll, isWhole: true },
  'messages-poll-errors': {
    path: '/messages/new',
    keepsWords: true,
    open: async (page, t) => {
      await chooseKind(page, t, 'poll')
      await button(page, t('COMMON.SAVE')).click()
    },
    isWhole: true,
  },
  'messages-place': { path: '/messages/new', open: writePlace, isWhole: true },
  'messages-upload-failed': {
    path: '/messages/new',
    keepsWords: true,
    open: async (page, t) => {
      await answer(page, '/files', 409, { code: 'quota_images', error: '', params: { limit: 500 } })
      await begin(page, t, { kind: 'video', label: 'MESSAGE.CAPTION', text: caption, file: 'video.mp4' })
      await page.getByText(t('MESSAGE.UPLOAD_FAILED')).waitFor()
    },
    isWhole: true,
  },
  'jobs-new-place': {
    path: '/jobs/new',
    open: async (page, t) => {
      await page.getByText(t('JOB.MESSAGE_WRITTEN')).click()
      await writePlace(page, t)
    },
    isWhole: true,
  },
  'jobs-mentions': {
    path: '/jobs/new',
    open: async (page, t) => {
      const mentions = { members: 212, reached: 180, mentionedBefore }
      await patch(page, '/jobs/preview', (preview) => ({ ...preview, mentions }))
      await choose(page, t('JOB.MESSAGE'), '#1')
      // The page moves while the groups of the message are chosen.
      await page.getByText(t('JOB.PREVIEW_NOTE')).waitFor()
      await page.getByLabel(t('JOB.MENTIONS_ALL')).check()
      await page.getByText('Khách sỉ miền Tây').waitFor()
    },
    isWhole: true,
  },
  'jobs-poll': {
    path: '/jobs/1',
    open: async (page) => {
      await answer(page, '/jobs/1/poll', 200, results)
      const withPoll = (job: object) => ({ ...job, ...contents[4], imageUrl: null })
      for (const path of ['/jobs/1', '/jobs/1/changes*']) await patch(page, path, withPoll)
      const withVotes = (rows: unknown) => (rows as object[]).map((row) => ({ ...row, votes }))
      await patch(page, '/jobs/1/recipients?*', (list) => ({ ...list, data: withVotes(list.data) }))
      await page.reload()
      await page.getByText('Cuối tuần này').first().waitFor()
    },
    isWhole: true,
  },
}
