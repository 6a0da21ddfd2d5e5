import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import type { Providers } from '../src/providers/provider.ts'
import { useSharedContext } from './context.ts'
import { encodeForm, formOf } from './forms.ts'
import { picture } from './pictures.ts'

// The exact calls that clients make. Nothing here comes from the contract, so a path, a field or a status that changes
// there fails a test. Each test uses its own data.

const provider = {
  status: async () => ({ status: 'Connected', linkedNumber: '84901234567' }),
  qr: async () => 'data:image/png;base64,iVBORw0',
  pairingCode: async () => 'ABCD-EFGH',
  logout: async () => {},
}
const context = useSharedContext({
  providers: () => ({ live: provider, test: provider }) as unknown as Providers, // these calls use only these methods
})
let token = ''

beforeAll(async () => {
  token = (await context.add.admin()).token
})

async function send(method: InjectOptions['method'], path: string, payload?: object, bearer = token) {
  const headers = { authorization: `Bearer ${bearer}` }
  const url = `/api/${path}`
  const answer = await (await context.app).inject({ method, url, headers, ...(payload && { payload }) })
  const isJson = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : answer.body }
}
const get = (path: string) => send('GET', path)
const post = (path: string, payload?: object) => send('POST', path, payload)
const put = (path: string, payload: object) => send('PUT', path, payload)
const remove = (path: string) => send('DELETE', path)

async function sendForm(method: 'POST' | 'PUT', path: string, fields: Parameters<typeof formOf>[0]) {
  const { payload, contentType } = await encodeForm(formOf(fields, await picture()))
  const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
  const answer = await (await context.app).inject({ method, url: `/api/${path}`, headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}

const answered = (status: number, body: unknown) => ({ status, body })
const done = answered(204, '')
const paged = { data: expect.any(Array), pagination: expect.any(Object) }

describe('authentication', () => {
  //
  test('POST auth/login takes username and password, and answers token and user', async () => {
    const { username, id } = await context.add.user({ password: 'secret-1' })

    const { status, body } = await post('auth/login', { username, password: 'secret-1' })

    expect(status).toBe(200)
    expect(body).toEqual({ token: expect.stringMatching(/^[\w-]{40,}$/), user: expect.any(Object) })
    expect(body.user).toMatchObject({ id, username, role: 'Member' })
    expect((await send('GET', 'jobs', undefined, body.token)).status).toBe(200)
  })

  //
  test('POST auth/register takes the four fields of the form and answers 204', async () => {
    const form = {
      username: 'newcomer',
      email: 'new@example.com',
      password: 'secret-1',
      repassword: 'secret-1',
    }

    expect(await post('auth/register', form)).toMatchObject(done)

    expect(
      await context.db.many(sql`select email, role, is_active from users where username = 'newcomer'`),
    ).toEqual([{ email: 'new@example.com', role: 'Member', isActive: false }])
  })

  //
  test('POST auth/logout ends the session', async () => {
    const user = await context.add.user()

    expect(await send('POST', 'auth/logout', undefined, user.token)).toMatchObject(done)
    expect((await send('GET', 'jobs', undefined, user.token)).status).toBe(401)
  })

  //
  test('PUT users/{id} with only a password changes the password', async () => {
    const user = await context.add.user({ password: 'secret-1' })

    const change = await send('PUT', `users/${user.id}`, { password: 'secret-2' }, user.token)

    expect(change).toMatchObject(answered(200, { id: user.id, username: user.username }))
    expect((await post('auth/login', { username: user.username, password: 'secret-2' })).status).toBe(200)
  })
})

describe('groups', () => {
  //
  test('POST groups/search takes the same parameters, search and instanceIds in its body', async () => {
    const group = await context.add.group({ name: 'Aunts of the search' })
    await context.add.group({ name: 'Uncles of the search', instanceId: group.instanceId })
    await context.add.group({ name: 'Aunts of the search' })
    const list = { page: 1, pageSize: 10, sortBy: 'name', sortDirection: 'asc' }

    const { status, body } = await post('groups/search', {
      ...list,
      search: 'aunts of',
      instanceIds: [group.instanceId],
    })

    expect(status).toBe(200)
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([group.id])
    expect(body.pagination).toMatchObject({ currentPage: 1, pageSize: 10, totalCount: 1 })
  })

  //
  test('GET groups/stats answers the numbers of the dashboard', async () => {
    expect(await get('groups/stats')).toMatchObject(
      answered(200, { totalGroups: expect.any(Number), topGroups: expect.any(Array) }),
    )
  })

  //
  test('GET groups/{id}/participants/export answers an Excel file to save', async () => {
    const { id } = await context.add.group({ name: 'Aunts' })

    const { status, headers } = await get(`groups/${id}/participants/export`)

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="Participants_Aunts_\d{4}-\d{2}-\d{2}\.xlsx"/,
    )
  })
})

describe('messages', () => {
  const withGroups = async () => {
    const instance = await context.add.instance()
    const groups = [
      await context.add.group({ instanceId: instance.id }),
      await context.add.group({ instanceId: instance.id }),
    ]
    return { instanceId: instance.id, groupIds: groups.map(({ id }) => id) }
  }
  const idsOf = (things: { id: number }[]) => things.map(({ id }) => id).toSorted((a, b) => a - b)

  test.each([
    //
    ['POST messages', 'messages'],
    //
    ['POST messages/with-file', 'messages/with-file'],
  ])('%s takes instanceId, textContent, imageFile and repeated groupIds as a form', async (_case, path) => {
    const { instanceId, groupIds } = await withGroups()
    const fields = { instanceId, textContent: 'Hello', groupIds }

    const { status, body } = await sendForm('POST', path, fields)

    expect(status).toBe(201)
    expect(body).toMatchObject({ instanceId, textContent: 'Hello' })
    expect(body.imageUrl).toMatch(/^\/images\/\w+\.png$/)
    expect(idsOf(body.assignedGroups)).toEqual(groupIds)
  })

  //
  test.each(['messages', 'messages/with-file'])(
    'POST %s also takes JSON if there is no file',
    async (path) => {
      const { instanceId, groupIds } = await withGroups()

      const { status, body } = await post(path, { instanceId, textContent: 'Hello', groupIds })

      expect(status).toBe(201)
      expect(body).toMatchObject({ instanceId, textContent: 'Hello', imageUrl: null })
      expect(idsOf(body.assignedGroups)).toEqual(groupIds)
    },
  )

  //
  test('PUT messages/{id} takes JSON', async () => {
    const { id } = await context.add.message()
    const { instanceId, groupIds } = await withGroups()

    const { status, body } = await put(`messages/${id}`, { instanceId, textContent: 'Changed', groupIds })

    expect(status).toBe(200)
    expect(body).toMatchObject({ id, instanceId, textContent: 'Changed' })
    expect(idsOf(body.assignedGroups)).toEqual(groupIds)
  })

  //
  test('PUT messages/{id}/with-file takes a form with removeImage', async () => {
    const { id } = await context.add.message()
    const { instanceId, groupIds } = await withGroups()
    const fields = {
      instanceId,
      removeImage: 'false',
      textContent: 'Changed',
      groupIds,
    }

    const { status, body } = await sendForm('PUT', `messages/${id}/with-file`, fields)

    expect(status).toBe(200)
    expect(body).toMatchObject({ id, instanceId, textContent: 'Changed' })
    expect(body.imageUrl).toMatch(/^\/images\//)
    expect(idsOf(body.assignedGroups)).toEqual(groupIds)
    const removed = await put(`messages/${id}/with-file`, { textContent: 'Changed', removeImage: true })
    expect(removed.body.imageUrl).toBeNull()
  })
})

describe('instances', () => {
  //
  test('POST instances takes name, whatsAppNumber, whapiToken and isActive', async () => {
    const form = { name: 'Shop', whatsAppNumber: '84900000001', whapiToken: 'created', isActive: false }

    const masked = { ...form, whapiToken: '••••' }
    expect(await post('instances', form)).toMatchObject(answered(201, { ...masked, id: expect.any(Number) }))
  })

  //
  test('PUT instances/{id} takes the same fields', async () => {
    const { id } = await context.add.instance()
    const form = { name: 'Shop', whatsAppNumber: '84900000001', whapiToken: 'changed', isActive: false }

    const masked = { ...form, whapiToken: '••••' }
    expect(await put(`instances/${id}`, form)).toMatchObject(answered(200, { ...masked, id }))
  })

  //
  test('DELETE instances/data/{id} deletes the instance’s data and keeps the instance', async () => {
    const { id } = await context.add.instance()
    const message = await context.add.message({ instanceId: id })

    expect(await remove(`instances/data/${id}`)).toMatchObject(done)
    expect((await get(`messages/${message.id}`)).status).toBe(404)
    expect((await get(`instances/${id}`)).status).toBe(200)
  })

  //
  test('GET instances/{id}/qrcode-base64 answers qr', async () => {
    const { id } = await context.add.instance()

    expect(await get(`instances/${id}/qrcode-base64`)).toMatchObject(
      answered(200, { qr: 'data:image/png;base64,iVBORw0' }),
    )
  })

  //
  test('GET instances/{id}/connect-code?phone= answers code', async () => {
    const { id } = await context.add.instance()

    expect(await get(`instances/${id}/connect-code?phone=0901234567`)).toMatchObject(
      answered(200, { code: 'ABCD-EFGH' }),
    )
  })

  //
  test('GET instances/{id}/logout unlinks the instance', async () => {
    const { id } = await context.add.instance()

    expect(await get(`instances/${id}/logout`)).toMatchObject(done)
    expect(await context.db.many(sql`select status from instances where id = ${id}`)).toEqual([
      { status: 'NeedsLogin' },
    ])
  })

  //
  test('GET instances/{id}/logout needs the bearer header, so no link can log an instance out', async () => {
    const { id } = await context.add.instance()

    const answer = await (await context.app).inject(`/api/instances/${id}/logout`)

    expect(answer.statusCode).toBe(401)
    expect((await get(`instances/${id}`)).body.status).toBe('Connected')
  })
})

describe('jobs', () => {
  const jobForm = async () => {
    const group = await context.add.group()
    const message = await context.add.message()
    return { messageId: message.id, instanceId: group.instanceId, groupIds: [group.id] }
  }

  //
  test('POST jobs takes jobType, messageId, instanceId, scheduledAt, phoneNumbers and groupIds', async () => {
    const form = await jobForm()
    const scheduledAt = '2125-01-01T08:00:00.000Z'
    const toGroups = { ...form, jobType: 'SendToGroups', scheduledAt, phoneNumbers: '' }
    const toUsers = { ...form, jobType: 'SendToUsers', phoneNumbers: '0901234567', groupIds: [] }

    const groups = await post('jobs', toGroups)
    const users = await post('jobs', toUsers)

    const { messageId, instanceId, groupIds } = form
    expect(groups).toMatchObject(
      answered(201, { jobType: 'SendToGroups', messageId, instanceId, scheduledAt, status: 'Pending' }),
    )
    expect((await get(`jobs/${groups.body.id}`)).body.assignedGroups).toMatchObject([{ id: groupIds[0] }])
    expect(users).toMatchObject(answered(201, { jobType: 'SendToUsers' }))
    expect((await get(`jobs/${users.body.id}`)).body.targetPhoneNumbers).toEqual(['84901234567'])
  })

  //
  test.each([undefined, {}])('POST jobs/{id}/restart takes the body %o', async (body) => {
    const { id } = await context.add.job({ status: 'Failed' })

    expect(await post(`jobs/${id}/restart`, body)).toMatchObject(answered(200, { id, status: 'Pending' }))
  })

  //
  test.each([undefined, {}])('POST jobs/{id}/cancel takes the body %o', async (body) => {
    const { id } = await context.add.job()

    expect(await post(`jobs/${id}/cancel`, body)).toMatchObject(answered(200, { id, status: 'Cancelled' }))
  })

  //
  test('POST jobs/{id}/cancel takes an empty body with the content type of JSON', async () => {
    const { id } = await context.add.job()

    const answer = await (await context.app).inject({
      method: 'POST',
      url: `/api/jobs/${id}/cancel`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })

    expect(answer.statusCode).toBe(200)
  })

  //
  test('a job can be previewed, paused, resumed, retried, and read in pages', async () => {
    const form = await jobForm()
    const { id } = await context.add.job()
    const ended = await context.add.job({ status: 'Failed', deliveryStatus: 'failed' })

    expect(await post('jobs/preview', form)).toMatchObject(answered(200, { recipients: 1 }))
    expect(await post(`jobs/${id}/pause`)).toMatchObject(answered(200, { isPaused: true }))
    expect(await post(`jobs/${id}/resume`)).toMatchObject(answered(200, { isPaused: false }))
    expect(await post(`jobs/${ended.id}/retry-failed`, {})).toMatchObject(
      answered(200, { status: 'Pending' }),
    )
    expect(await get(`jobs/${id}/sent-messages?page=1&pageSize=10`)).toMatchObject(answered(200, paged))
    expect(await get(`jobs/${id}/recipients?page=1&pageSize=10&outcome=Failed`)).toMatchObject(
      answered(200, paged),
    )
    expect(await get(`jobs/${id}/logs?page=1&pageSize=10`)).toMatchObject(answered(200, paged))
  })
})

describe('users', () => {
  const form = async () => {
    const instance = await context.add.instance()
    const username = `user of ${instance.name}`
    const shown = {
      username,
      email: `${instance.id}@example.com`,
      role: 'Admin',
      isActive: false,
      canSendMessages: false,
      canCreateJobs: false,
    }
    return {
      body: { ...shown, password: 'secret-1', assignedInstances: [instance.id] },
      shown: { ...shown, assignedInstances: [{ id: instance.id, name: instance.name }] },
    }
  }

  //
  test('POST users takes the form’s fields, assignedInstances as ids, and answers the id', async () => {
    const { body, shown } = await form()

    expect(await post('users', body)).toMatchObject(answered(201, { ...shown, id: expect.any(Number) }))
  })

  //
  test('PUT users/{id} takes the same fields', async () => {
    const { id } = await context.add.user()
    const { body, shown } = await form()

    expect(await put(`users/${id}`, body)).toMatchObject(answered(200, { ...shown, id }))
  })

  //
  test('POST users/{id}/assign-instances takes instanceIds and both flags, GET users/{id}/instances answers them', async () => {
    const { id } = await context.add.user()
    const instance = await context.add.instance()
    const flags = { canSendMessages: false, canCreateJobs: true }
    const now = { ...flags, assignedInstances: [{ id: instance.id, name: instance.name }] }

    const assigned = await post(`users/${id}/assign-instances`, { ...flags, instanceIds: [instance.id] })

    expect(assigned).toMatchObject(answered(200, now))
    expect(await get(`users/${id}/instances`)).toMatchObject(answered(200, now))
  })
})

test.each([
  //
  ['messages', () => context.add.message()],
  //
  ['instances', () => context.add.instance()],
  //
  ['jobs', () => context.add.job()],
  //
  ['users', () => context.add.user()],
])('DELETE %s/{id} deletes it', async (path, add) => {
  const { id } = await add()

  expect(await remove(`${path}/${id}`)).toMatchObject(done)
  expect((await get(`${path}/${id}`)).status).toBe(404)
})

//
test.each([
  ['messages', 'ids', () => context.add.message()],
  ['jobs', 'jobIds', () => context.add.job()],
])('POST %s/bulk-delete takes %s, and deletes all of them or none', async (path, name, add) => {
  const [first, second] = [await add(), await add()]
  const bulkDelete = (...ids: number[]) => post(`${path}/bulk-delete`, { [name]: ids })
  const remaining = async () =>
    (await Promise.all([first, second].map(({ id }) => get(`${path}/${id}`)))).map(({ status }) => status)

  expect(await bulkDelete(first.id, 987_654)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await bulkDelete()).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await remaining()).toEqual([200, 200])

  expect(await bulkDelete(first.id, second.id, first.id)).toMatchObject(done)
  expect(await remaining()).toEqual([404, 404])
})

describe('a request', () => {
  //
  test('finds the API only under /api', async () => {
    const at = async (url: string) => {
      const { statusCode, headers } = await (await context.app).inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      })
      return `${statusCode} ${String(headers['content-type']).split(';')[0]}`
    }

    expect(await at('/api/jobs?page=1')).toBe('200 application/json')
    // If the web app is built, the server answers this path with its page.
    expect(['200 text/html', '404 application/json']).toContain(await at('/jobs?page=1'))
  })

  //
  test('has its session only in the bearer header', async () => {
    const { token: good } = await context.add.admin()
    const status = async (headers: Record<string, string>, query = '') =>
      (await (await context.app).inject({ url: `/api/jobs${query}`, headers })).statusCode

    expect(await status({ authorization: `Bearer ${good}` })).toBe(200)
    expect(await status({ authorization: good })).toBe(401)
    expect(await status({ authorization: `Basic ${good}` })).toBe(401)
    expect(await status({ authorization: 'Bearer guessed' })).toBe(401)
    expect(await status({ cookie: `token=${good}` })).toBe(401)
    expect(await status({}, `?token=${good}`)).toBe(401)
  })

  //
  test('for an unknown endpoint is answered 404 in JSON', async () => {
    expect(await get('nothing')).toMatchObject(answered(404, { code: 'not_found' }))
    expect(await send('PATCH', 'jobs/1', {})).toMatchObject(answered(404, { code: 'not_found' }))
  })

  //
  test('that is refused is answered with a code and a sentence, or a sentence for each field', async () => {
    expect((await get('jobs/987654')).body).toEqual({
      code: 'not_found',
      error: 'This does not exist, or you don’t have access.',
      params: {},
    })
    expect((await post('messages', { textContent: '' })).body).toEqual({
      code: 'invalid_input',
      error: { textContent: 'Enter the message text.' },
      fields: { textContent: 'MESSAGE.TEXT_REQUIRED' },
    })
  })

  //
  test('with an unreadable body is answered 400, with another content type 415, with a large body 413', async () => {
    const post = async (contentType: string, payload: string, url = '/api/messages') =>
      (
        await (
          await context.app
        ).inject({
          method: 'POST',
          url,
          headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
          payload,
        })
      ).statusCode

    expect(await post('application/json', '{"textContent":')).toBe(400)
    expect(await post('text/plain', 'Hello')).toBe(415)
    expect(await post('application/json', JSON.stringify({ textContent: 'x'.repeat(7_000_000) }))).toBe(413)
    expect(await post('application/json', JSON.stringify({ a: 'x'.repeat(20_000) }), '/api/auth/login')).toBe(
      413,
    )
  })

  test.each(['%', '%ff', 'x'.repeat(201)])('with the path jobs/%s is answered 400 in JSON', async (id) => {
    expect(await get(`jobs/${id}`)).toMatchObject(answered(400, { code: 'invalid_input' }))
  })

  //
  test.each(['0', '-1', '1.5', 'one', '99999999999999999999'])(
    'with the id %s is answered 400: ids are positive whole numbers',
    async (id) => {
      for (const path of ['messages', 'jobs', 'instances', 'users'])
        expect((await get(`${path}/${id}`)).status).toBe(400)
    },
  )
})
