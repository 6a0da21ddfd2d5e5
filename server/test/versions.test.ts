import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'
import type { TestUser } from './factories.ts'
import { formOf } from './forms.ts'

// Two people edit the same record. An edit that was made from an old version must not undo the other one unnoticed.

const context = useContext()

type Answered = { status: number; body: { version?: number; code?: string } }
type Edit = (text: string, version?: number) => Promise<Answered>

/** Each kind of record with an edit form: how to make one, edit it and read its text. */
const records: Record<string, (admin: TestUser) => Promise<{ edit: Edit; read: () => Promise<unknown> }>> = {
  users: async (admin) => {
    const params = { id: (await context.add.user({ username: 'before' })).id }
    return {
      edit: (username, version) =>
        context.call(admin, contract.users.update, { params, body: { username, version } }),
      read: async () => (await context.call(admin, contract.users.get, { params })).body.username,
    }
  },
  instances: async (admin) => {
    const params = { id: (await context.add.instance({ name: 'before' })).id }
    return {
      edit: (name, version) =>
        context.call(admin, contract.instances.update, { params, body: { name, version } }),
      read: async () => (await context.call(admin, contract.instances.get, { params })).body.name,
    }
  },
  messages: async (admin) => {
    const params = { id: (await context.add.message({ textContent: 'before' })).id }
    return {
      edit: (textContent, version) =>
        context.call(admin, contract.messages.update, { params, body: { textContent, version } }),
      read: async () => (await context.call(admin, contract.messages.get, { params })).body.textContent,
    }
  },
}

const kinds = Object.entries(records).map(([kind, make]) => ({ kind, make }))

//
test.each(kinds)('an edit of $kind from an old version is refused and changes nothing', async ({ make }) => {
  const { edit, read } = await make(await context.add.admin())
  expect(await edit('theirs', 1)).toMatchObject({ status: 200, body: { version: 2 } })

  expect(await edit('mine', 1)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect(await read()).toBe('theirs')
  expect(await edit('mine', 2)).toMatchObject({ status: 200, body: { version: 3 } })
  expect(await read()).toBe('mine')
})

test.each(kinds)(
  'of parallel edits of $kind from the same version exactly one succeeds',
  async ({ make }) => {
    const { edit, read } = await make(await context.add.admin())
    const texts = ['first', 'second', 'third', 'fourth']

    const answers = await Promise.all(texts.map((text) => edit(text, 1)))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await read()).toBe(texts[answers.findIndex(({ status }) => status === 200)])
  },
)

test.each(kinds)('an edit of $kind without a version always succeeds', async ({ make }) => {
  const { edit, read } = await make(await context.add.admin())
  await edit('theirs', 1)

  expect(await edit('mine')).toMatchObject({ status: 200, body: { version: 3 } })
  expect(await read()).toBe('mine')
})

test('instances are not assigned from an old version of the user', async () => {
  const admin = await context.add.admin()
  const shop = await context.add.instance()
  const params = { id: (await context.add.user()).id }
  const assign = (version: number) =>
    context.call(admin, contract.users.assignInstances, {
      params,
      body: { instanceIds: [shop.id], canSendMessages: false, canCreateJobs: true, version },
    })
  await context.call(admin, contract.users.update, { params, body: { email: 'new@example.com' } })

  expect(await assign(1)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  expect((await context.call(admin, contract.users.instances, { params })).body).toMatchObject({
    assignedInstances: [],
    canSendMessages: true,
    version: 2,
  })
  expect(await assign(2)).toMatchObject({ status: 200, body: { version: 3 } })
})

test('a message’s multipart form carries the version too', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.message({ textContent: 'before' })
  const edit = async (version: string) => {
    const body = formOf({ textContent: 'mine', version })
    return context.call(admin, contract.messages.updateWithFile, { params: { id }, body })
  }

  expect((await edit('2')).status).toBe(409)
  expect((await edit('1')).body).toMatchObject({ textContent: 'mine', version: 2 })
})

test('what the engine and the status reader write to an instance is no edit', async () => {
  const admin = await context.add.admin()
  const { id } = await context.add.instance({ name: 'before' })
  await context.db.run(
    sql`update instances set status_seen_at = clock_now(), status = 'Degraded' where id = ${id}`,
  )

  expect(
    await context.call(admin, contract.instances.update, {
      params: { id },
      body: { name: 'mine', version: 1 },
    }),
  ).toMatchObject({ status: 200 })
})
