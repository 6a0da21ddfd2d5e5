import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { planJob } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { sql, values } from '../../platform/database/sql.ts'
import { textOfJob } from './personal-job.ts'

const context = useSharedContext()
const { jobs, messages } = contract

type Facts = { name?: string; [key: string]: string | undefined }
type Choices = { fallbacks?: Record<string, string>; leaveOutIncomplete?: boolean }

/** Adds a field, and returns functions that make a job for contacts with these facts; `null` is a number of nobody. */
async function fixture() {
  const { instance, member } = await context.add.memberWithInstance()
  const city = await context.add.contactField()
  const due = await context.add.contactField({ type: 'date' })
  const fieldOf = (key: string) => (key === 'due' ? due : city)
  const template = (text: string) => text.replaceAll('city', city.key).replaceAll('due', due.key)

  async function recipientOf(facts: Facts | null) {
    if (!facts) return { contactId: null, chatId: '8490@s.whatsapp.net', name: '+8490', groupId: null }
    const { name = '', ...stored } = facts
    const contact = await context.add.contact({ name })
    for (const [key, value] of Object.entries(stored))
      await context.db.run(
        sql`insert into contact_values ${values({ contactId: contact.id, fieldId: fieldOf(key).id, value })}`,
      )
    const number = contact.number
    return { contactId: contact.id, chatId: `${number}@s.whatsapp.net`, name: `+${number}`, groupId: null }
  }

  async function plan(text: string, people: (Facts | null)[], choices: Choices = {}) {
    const recipients = await Promise.all(people.map(recipientOf))
    return context.db.begin(async (tx) => {
      const fallbacks = Object.fromEntries(
        Object.entries(choices.fallbacks ?? {}).map(([key, text]) => [template(key), text]),
      )
      const job = await textOfJob(
        tx,
        { textContent: template(text), hasVariables: true },
        {
          ...{ jobType: 'SendToUsers', country: 'VN', formField: 'messageId', throwIfAborted: () => {} },
          ...{ leaveOutIncomplete: choices.leaveOutIncomplete ?? false, fallbacks },
        },
      )
      return planJob(tx, {
        ...{
          jobType: 'SendToUsers',
          messageId: null,
          instanceId: instance.id,
          imageId: null,
          scheduledAt: null,
        },
        ...{ createdBy: { id: member.id, name: member.username }, recipients, ...job },
      })
    })
  }
  return { instance, member, template, plan, cityKey: city.key }
}

const textsOf = async (db: Pool, jobId: number) =>
  (
    await db.many<{ text: string | null }>(sql`
      select t.text from deliveries d left join delivery_texts t on t.delivery_id = d.id
      where d.job_id = ${jobId} order by d.id`)
  ).map(({ text }) => text)

//
test('each recipient of a job gets a text of their own', async () => {
  const { plan } = await fixture()
  const jobId = await plan('{{name}}, {{city|there}}: {{due|soon}} \\{{x}}', [
    { name: 'Lan', city: 'Huế', due: '2026-01-31' },
    { name: '$& مريم\n', city: '👩‍👩‍👧' },
    { name: '{x}' },
  ])
  expect(await textsOf(context.db, jobId)).toEqual([
    'Lan, Huế: 31/01/2026 {{x}}',
    '$& مريم\n, 👩‍👩‍👧: soon {{x}}',
    '{x}, there: soon {{x}}',
  ])
})

//
test('a text without variables is the same for all, without its backslashes', async () => {
  const { plan } = await fixture()
  const jobId = await plan('Write \\{{name}}', [{ name: 'Lan' }])
  expect(await textsOf(context.db, jobId)).toEqual([null])
  const job = await context.db.one(sql`select text_content, is_personal from jobs where id = ${jobId}`)
  expect(job).toEqual({ textContent: 'Write {{name}}', isPersonal: false })
})

//
test('a job is refused if somebody lacks a value, with the number of such people', async () => {
  const { plan, cityKey } = await fixture()
  const people = [{ name: 'Lan', city: 'Huế' }, { name: 'An' }, { city: 'Huế' }, null]
  const refused = plan('{{name}} {{city}}', people)
  await expect(refused).rejects.toMatchObject({
    code: 'values_missing',
    params: { count: 3, variables: `{{${cityKey}}}, {{name}}` },
  })
  await expect(plan('{{name}}', [null], { leaveOutIncomplete: true })).rejects.toThrow('values_missing')
})

//
test('people without a value are left out, or get the fallback', async () => {
  const { plan } = await fixture()
  const people = [{ city: 'Huế' }, { name: 'Lan' }, { name: 'An', city: 'Vinh' }, null]
  const leftOut = await plan('{{name}} {{city}}', people, {
    leaveOutIncomplete: true,
    fallbacks: { city: '' },
  })
  expect(await textsOf(context.db, leftOut)).toEqual(['An Vinh'])
  const job = await context.db.one(sql`
    select recipient_count, (select reason->'params'->'count' from job_logs where job_id = j.id) as logged
    from jobs j where id = ${leftOut}`)
  expect(job).toEqual({ recipientCount: 1, logged: 1 })

  const filled = await plan('{{name}} {{city|X}}', people, { fallbacks: { name: 'bạn', city: 'Y' } })
  expect(await textsOf(context.db, filled)).toEqual(['bạn Huế', 'Lan X', 'An Vinh', 'bạn X'])
})

//
test('a text that gets too long for somebody is refused, and says for whom', async () => {
  const { plan } = await fixture()
  const text = `{{name}}${'a'.repeat(3990)}`
  const refused = plan(text, [{ name: 'Lan' }, { name: 'Nguyễn Thị Lan' }])
  await expect(refused).rejects.toMatchObject({ code: 'texts_too_long', params: { names: 'Nguyễn Thị Lan' } })
})

//
test('the call refuses variables in a job to groups, and for numbers of nobody', async () => {
  const { instance, member } = await fixture()
  const group = await context.add.group({ instanceId: instance.id })
  const { body: message } = await context.call(member, messages.create, {
    body: { textContent: 'Hi {{name}}' },
  })
  const create = (body: object) =>
    context.call(member, jobs.create, { body: { messageId: message.id, instanceId: instance.id, ...body } })
  const preview = async (body: object) =>
    (await context.call(member, jobs.preview, { body: { messageId: message.id, ...body } })).body

  expect(await create({ groupIds: [group.id] })).toMatchObject({
    status: 400,
    body: { fields: { messageId: 'JOB.VARIABLES_IN_GROUPS' }, params: { variable: '{{name}}' } },
  })
  const toUsers = { jobType: 'SendToUsers', phoneNumbers: '0901234567, 0901234568' }
  expect(await create(toUsers)).toMatchObject({
    status: 400,
    body: { code: 'values_missing', params: { count: 2 } },
  })
  expect(await preview(toUsers)).toMatchObject({
    recipients: 2,
    incomplete: { total: 2, first: ['+84901234567', '+84901234568'], variables: ['name'] },
  })
  expect((await preview({ ...toUsers, leaveOutIncomplete: true })).recipients).toBe(0)
  const withFallback = { ...toUsers, fallbacks: { name: 'you' } }
  expect((await preview(withFallback)).incomplete.total).toBe(0)
  const { status, body: job } = await create(withFallback)
  const params = { id: job.id }
  const { body: page } = await context.call(member, jobs.recipients, { params })
  expect([status, page.data.map(({ ownText }) => ownText)]).toEqual([201, ['Hi you', 'Hi you']])
  expect((await context.call(member, jobs.get, { params })).body).toMatchObject({
    ...{ textContent: 'Hi {{name}}', isPersonal: true },
  })
  expect(await create({ ...toUsers, fallbacks: { name: '\u202e' } })).toMatchObject({
    status: 400,
    body: { fields: { 'fallbacks.name': 'JOB.FALLBACK_INVALID' } },
  })
})

//
test('a message that is written with a job names its mistakes at its own field', async () => {
  const { instance, member } = await fixture()
  const order = { instanceId: instance.id, jobType: 'SendToUsers', phoneNumbers: '0901234567' } as const
  const answer = await context.call(member, jobs.create, {
    body: { ...order, message: { textContent: '{{x}}' } },
  })
  expect(answer).toMatchObject({
    status: 400,
    body: { fields: { 'message.textContent': 'MESSAGE.VARIABLE_UNKNOWN' } },
  })
})

//
test('a text from before is sent with its braces, and one with a field that is gone is refused', async () => {
  const { instance, member } = await fixture()
  const textContent = 'Hi {{customer}}'
  const create = async (columns: object) => {
    const { id: messageId } = await context.add.message({
      textContent,
      createdByUserId: member.id,
      ...columns,
    })
    const body = {
      messageId,
      instanceId: instance.id,
      jobType: 'SendToUsers',
      phoneNumbers: '0901234567',
    } as const
    return context.call(member, jobs.create, { body })
  }
  expect(await create({})).toMatchObject({ status: 201, body: { messageTitle: textContent } })
  expect(await create({ hasVariables: true })).toMatchObject({
    status: 400,
    body: { fields: { messageId: 'MESSAGE.VARIABLE_UNKNOWN' } },
  })
})
