import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addInstance, groupsOf } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { choose, pickGroups, rowOf, toast, viewJob } from './steps.ts'

const pathOf = (file: string) => join(import.meta.dirname, '../server/test/fixtures/files', file)
const sizeOf = (file: string) => statSync(pathOf(file)).size

const kind = (page: Page, name: string) => page.getByLabel('Kind', { exact: true }).selectOption(name)

async function upload(page: Page, file: string) {
  await page.locator('input[type=file]').setInputFiles(pathOf(file))
  await expect(page.getByRole('button', { name: 'Remove the file' })).toBeVisible()
}

/** Opens the form for a job whose message is written there. */
async function writeJob(page: Page, account: string, to: 'groups' | 'numbers') {
  await page.goto('/jobs/new')
  await page.getByText('Write it here').click()
  await page.getByLabel('Type').selectOption(to === 'groups' ? 'Send to groups' : 'Send to phone numbers')
  await choose(page, 'Account', account)
}

async function create(page: Page, title: string) {
  await page.getByRole('button', { name: 'Create job' }).click()
  await expect(toast(page, 'Job created successfully!')).toBeVisible()
  await viewJob(page, title)
  await expect(page.getByText('Completed', { exact: true })).toBeVisible()
}

// R-1748
test('a video with a personal caption, a poll, a document and a voice message, each sent once', async ({
  fresh,
  openAs,
}) => {
  const admin = await fresh.signIn()
  const account = await addInstance(admin, 'Shop')
  for (const [name, number] of [
    ['Lan', '+84901000001'],
    ['Minh', '+84901000002'],
  ] as const)
    await admin.call('POST /contacts', { body: { name, phoneNumbers: [number] } })
  const page = await openAs(admin, '/messages/new')
  const preview = page.getByRole('region', { name: 'WhatsApp preview' })

  await test.step('a video is uploaded, saved as a message and sent to people', async () => {
    await kind(page, 'video')
    await page.getByLabel('Caption').fill('Chào {{name}}!')
    await upload(page, 'video.mp4')
    await expect(preview.getByText('0:02')).toBeVisible()
    await expect(preview.getByText('Chào Lan!')).toBeVisible()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Message created successfully!')).toBeVisible()
    await expect(rowOf(page, 'Chào {{name}}!').getByRole('img', { name: 'Video' })).toBeVisible()

    await page.goto('/jobs/new')
    await choose(page, 'Message', 'Video: Chào {{name}}!')
    await page.getByLabel('Type').selectOption('Send to phone numbers')
    await choose(page, 'Account', account.name)
    await page.getByLabel('Phone numbers').fill('0901000001, 0901000002')
    await create(page, 'Chào {{name}}!')
  })

  await test.step('a poll goes to groups', async () => {
    await writeJob(page, account.name, 'groups')
    await kind(page, 'poll')
    await page.getByLabel('Question').fill('Which day?')
    await page.getByRole('textbox', { name: 'Answer 1' }).fill('Friday')
    await page.getByRole('textbox', { name: 'Answer 2' }).fill('Sunday')
    await pickGroups(page, 'Sales team')
    await create(page, 'Which day?')
    await expect(page.getByText('Select one', { exact: true })).toBeVisible()
  })

  await test.step('a video that phones would not play goes as a document, under another name', async () => {
    await writeJob(page, account.name, 'numbers')
    await kind(page, 'video')
    await upload(page, 'hevc.mp4')
    await page.getByRole('button', { name: 'Send as a document' }).click()
    await page.getByLabel('File name').fill('Film.mp4')
    await page.getByLabel('Phone numbers').fill('0901000001')
    await create(page, 'Film.mp4')
  })

  await test.step('a voice message', async () => {
    await writeJob(page, account.name, 'numbers')
    await kind(page, 'voice')
    await upload(page, 'voice.ogg')
    await page.getByLabel('Phone numbers').fill('0901000002')
    await create(page, 'voice.ogg')
    await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  })

  const [lan, minh] = ['84901000001@s.whatsapp.net', '84901000002@s.whatsapp.net']
  const groups = await groupsOf(admin, account, 'Sales team')
  const poll = { title: 'Which day?', options: ['Friday', 'Sunday'], isSingle: true }
  const video = { type: 'video', media: expect.objectContaining({ size: sizeOf('video.mp4') }) }
  const sent = fresh.accepted(account.whapiToken)
  expect(sent).toMatchObject([
    { ...video, to: lan, caption: 'Chào Lan!' },
    { ...video, to: minh, caption: 'Chào Minh!' },
    ...groups.map(() => ({ type: 'poll', poll })),
    { type: 'document', to: lan, fileName: 'Film.mp4' },
    { type: 'voice', to: minh, media: expect.objectContaining({ size: sizeOf('voice.ogg') }) },
  ])
  const sentToGroups = sent.filter(({ type }) => type === 'poll').map(({ to }) => to)
  expect(new Set(sentToGroups).size).toBe(groups.length)
})
