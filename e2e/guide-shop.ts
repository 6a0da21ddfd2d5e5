import { type Browser, expect } from '@playwright/test'
import type { Api } from './api.ts'
import { addInstance, groupsOf, setGroupPause, untilJob } from './fixture.ts'
import { pictureOf } from './picture.ts'
import type { Sendroom } from './sendroom.ts'

/** The shop of the guides' pictures. `staff` is the Member who works with it. */
export type Shop = {
  admin: Api
  staff: Api
  /** The number of groups of the first message. */
  groupCount: number
  /** The instance that is not linked yet. */
  unlinked: { id: number }
  /** A job whose recipients all got the message. */
  delivered: { id: number }
  /** A job that has ended with one failed recipient. */
  ended: { id: number }
  /** A job that is sending. */
  running: { id: number }
}

/** The middle of the advised pause between groups. Without a pause, a job ends before its picture is taken. */
const ADVISED_SECONDS = 25
const SCHEDULED_AT = '2099-01-01T02:00:00.000Z'

/** Fills an empty Sendroom with the instances, messages and jobs of a shop. */
export async function openShop(sendroom: Sendroom, browser: Browser): Promise<Shop> {
  const admin = await sendroom.signIn()
  const hanoi = await addInstance(admin, 'Áo dài Hà Nội')
  const saigon = await addInstance(admin, 'Áo dài Sài Gòn')
  const market = await addInstance(admin, 'Quầy chợ Bến Thành')
  const unlinked = await admin.call('POST /instances', {
    body: { name: 'Đại lý Đà Nẵng', whapiToken: 'test_da_nang', whatsAppNumber: '84912345678' },
  })
  const groups = await customersOf(admin, hanoi)
  const messageId = await addSale(admin, browser, hanoi, groups)
  const { id: holidays } = await admin.call('POST /messages', {
    body: {
      textContent: 'Cửa hàng nghỉ Tết từ 28 đến hết mùng 5. Chúc anh chị năm mới an khang!',
      instanceId: hanoi.id,
    },
  })
  await stopByFailures(admin, market, holidays)
  const staff = await addStaff(sendroom, admin, [hanoi, saigon, market, unlinked])
  const toPeople = { jobType: 'SendToUsers', messageId, instanceId: hanoi.id } as const
  const delivered = await staff.call('POST /jobs', {
    body: { messageId, instanceId: hanoi.id, groupIds: groups },
  })
  await untilJob(admin, delivered.id, { status: 'Completed' })
  // Numbers that end in 0000 are not on WhatsApp, so one recipient fails.
  const ended = await staff.call('POST /jobs', {
    body: { ...toPeople, phoneNumbers: '0901234567, 0912345678, 0901110000, 0987654321, 0934567890' },
  })
  await untilJob(admin, ended.id, { status: 'Completed' })
  await untilReceipts(admin, delivered.id)
  await untilReceipts(admin, ended.id)
  const paused = await staff.call('POST /jobs', {
    body: { ...toPeople, messageId: holidays, phoneNumbers: '0901234567', scheduledAt: SCHEDULED_AT },
  })
  await staff.call('POST /jobs/:id/pause', { params: { id: paused.id } })
  await staff.call('POST /jobs', {
    body: { messageId: holidays, instanceId: hanoi.id, groupIds: groups, scheduledAt: SCHEDULED_AT },
  })
  await setGroupPause(admin, hanoi, ADVISED_SECONDS)
  const running = await startJob(admin, staff, saigon, messageId)
  return { admin, staff, groupCount: groups.length, unlinked, delivered, ended, running }
}

async function customersOf(admin: Api, instance: { id: number }): Promise<number[]> {
  return (await groupsOf(admin, instance, 'Khách hàng miền Nam')).map(({ id }) => id)
}

async function addSale(admin: Api, browser: Browser, instance: { id: number }, groupIds: number[]) {
  const page = await browser.newPage()
  const picture = await pictureOf(page, 'Giảm 20 %')
  await page.close()
  const form = new FormData()
  form.set(
    'textContent',
    '*Khai trương chi nhánh mới!*\nGiảm *20 %* toàn bộ áo dài từ thứ Sáu đến hết Chủ nhật.\nMời anh chị ghé 12 Hàng Gai, Hà Nội.',
  )
  form.set('instanceId', String(instance.id))
  for (const id of groupIds) form.append('groupIds', String(id))
  form.set('imageFile', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'sale.png')
  return (await admin.call('POST /messages', { body: form })).id
}

/** Lets ten messages in a row fail, which stops the instance. */
async function stopByFailures(admin: Api, instance: { id: number }, messageId: number) {
  const phoneNumbers = [...Array.from({ length: 10 }, (_, i) => `090${i}110000`), '0912345678'].join('\n')
  const { id } = await admin.call('POST /jobs', {
    body: { jobType: 'SendToUsers', messageId, instanceId: instance.id, phoneNumbers },
  })
  await untilJob(admin, id, { waiting: { code: 'account_failures' } })
}

const untilReceipts = (admin: Api, id: number) =>
  expect
    .poll(
      async () => {
        const { recipients } = await admin.call('GET /jobs/:id', { params: { id } })
        return recipients.sent - recipients.delivered
      },
      { timeout: 60_000 },
    )
    .toBe(0)

/** Starts a job quickly and then slows it down to the advised pace, so that pictures show it half done. */
async function startJob(admin: Api, staff: Api, instance: { id: number }, messageId: number) {
  await setGroupPause(admin, instance, 1)
  const groupIds = await customersOf(admin, instance)
  const job = await staff.call('POST /jobs', { body: { messageId, instanceId: instance.id, groupIds } })
  await expect
    .poll(async () => (await admin.call('GET /jobs/:id', { params: { id: job.id } })).recipients.sent, {
      timeout: 60_000,
    })
    .toBeGreaterThan(2)
  await setGroupPause(admin, instance, ADVISED_SECONDS)
  return job
}

async function addStaff(sendroom: Sendroom, admin: Api, instances: { id: number }[]): Promise<Api> {
  const user = { username: 'lan.nguyen', email: 'lan@example.com', password: 'secret member' }
  const assignedInstances = instances.map(({ id }) => id)
  await admin.call('POST /users', { body: { ...user, assignedInstances, canManageContacts: true } })
  return sendroom.signIn(user.username, user.password)
}
