import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()
const { messages, jobs } = contract

const preview = (
  user: TestUser,
  textContent: string,
  more: { after?: number; onlyProblems?: boolean; isPoll?: boolean } = {},
) => context.call(user, messages.preview, { body: { textContent, ...more } })

async function people() {
  const lan = await context.add.contact({ name: 'Lan' })
  const nobody = await context.add.contact({ name: '' })
  const long = await context.add.contact({ name: 'Nguyễn Thị Lan' })
  return { lan, nobody, long }
}

// R-950, R-1651
test('the preview shows the text of one contact after the other, or only of those with a problem', async () => {
  const { lan, nobody, long } = await people()
  const user = await context.add.user({ canManageContacts: true })
  const first = await preview(user, 'Hi {{name}}')
  expect(first).toMatchObject({
    status: 200,
    body: {
      contact: { id: lan.id, name: 'Lan', phoneNumber: `+${lan.number}` },
      ...{ text: 'Hi Lan', missing: [], isTooLong: false },
    },
  })
  expect((await preview(user, 'Hi {{name}}', { after: lan.id })).body).toMatchObject({
    contact: { id: nobody.id },
    missing: ['name'],
  })
  const text = `{{name|you}} ${'a'.repeat(3987)}`
  expect((await preview(user, text, { onlyProblems: true })).body).toMatchObject({
    contact: { id: long.id },
    isTooLong: true,
  })
  expect((await preview(user, text, { onlyProblems: true, after: long.id })).body.contact).toBeNull()
  const question = `{{name|you}} ${'a'.repeat(242)}`
  expect((await preview(user, question, { onlyProblems: true, isPoll: true })).body).toMatchObject({
    contact: { id: long.id },
    isTooLong: true,
  })
  expect((await preview(user, question, { onlyProblems: true })).body.contact).toBeNull()
  expect(await preview(user, '{{x}}')).toMatchObject({
    status: 400,
    body: { fields: { textContent: 'MESSAGE.VARIABLE_UNKNOWN' } },
  })
})

//
test('a Member previews only contacts of lists that they may use', async () => {
  const { nobody, long } = await people()
  await context.add.list({ isForAll: true, contacts: [long] })
  const user = await context.add.user({ canUseContacts: true })
  expect((await preview(user, 'Hi {{name}}')).body.contact?.id).toBe(long.id)
  expect((await preview(user, 'Hi {{name}}', { after: long.id })).body.contact).toBeNull()
  expect(nobody.id).toBeLessThan(long.id)
})

//
test('everybody who is signed in reads the variables', async () => {
  const { key } = await context.add.contactField({ name: 'Town', type: 'date' })
  const { body } = await context.call(await context.add.user(), messages.variables, {})
  expect(body.variables).toEqual([{ key, name: 'Town', type: 'date' }])
})

//
test('a problem is found among thousands of contacts without one', async () => {
  await context.db.run(sql`
    insert into contacts (name, numbers, source, source_name)
    select 'Lan ' || n, '', 'form', '' from generate_series(1, 4500) n`)
  const nobody = await context.add.contact({ name: '' })
  const user = await context.add.user({ canManageContacts: true })
  const { body } = await preview(user, 'Hi {{name}}', { onlyProblems: true })
  expect(body.contact?.id).toBe(nobody.id)
})

//
test('a test is sent with the values of the chosen contact, if the caller sees it', async () => {
  const { lan } = await people()
  const { instance, member } = await context.add.memberWithInstance({})
  const send = (user: TestUser, contactId: number | null) =>
    context.call(user, jobs.test, {
      body: { textContent: 'Hi {{name}}', instanceId: instance.id, phoneNumber: '0901234567', contactId },
    })
  const refused = { status: 400, body: { code: 'values_missing', params: { variables: '{{name}}' } } }
  expect(await send(member, lan.id)).toMatchObject(refused)
  await context.db.run(sql`update users set can_manage_contacts = true where id = ${member.id}`)
  expect(await send(member, null)).toMatchObject(refused)
  expect(await send(member, lan.id)).toMatchObject({ status: 201, body: { messageTitle: 'Hi Lan' } })
})

//
test('searches for problems take turns with other heavy work', async () => {
  const add = () => context.add.user({ canManageContacts: true })
  const users = [await add(), await add(), await add()]
  const answers = await context.db.begin(async (tx) => {
    await tx.run(sql`lock table contacts in access exclusive mode`)
    // A user may make five requests at once. Two pieces of heavy work run, and ten wait.
    const asked = users.flatMap((user) =>
      [1, 2, 3, 4, 5].map(() => preview(user, 'Hi {{name}}', { onlyProblems: true })),
    )
    // Else one that comes after the end of the lock would find room.
    const refused = asked.map(async (answer) => ((await answer).status === 503 ? 1 : Promise.race([])))
    let count = 0
    for (const one of refused) one.then((n) => (count += n))
    await until('three are refused', async () => count === 3)
    return asked
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array(12).fill(200), ...Array(3).fill(503)])
})
