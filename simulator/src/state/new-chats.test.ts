import { expect, test } from 'vitest'
import { useSimulator } from '../../test/client.ts'
import { groupId } from '../index.ts'

const simulator = useSimulator()
const limitOf = (token: string) => simulator.call(token, 'GET /business/limits/new_chat')
const send = async (token: string, to: string) =>
  (await simulator.call(token, 'POST /messages/text', { to, body: 'x' })).status
const setChannel = (change: object) => simulator.control('POST /channels', change)
const nobody = '84901234560'

test('the quota counts people who have not answered, warns, and refuses the next new one', async () => {
  const token = simulator.linked()
  expect((await limitOf(token)).status).toBe(204)
  await setChannel({ token, newChatQuota: 5 })
  for (const digit of [1, 2, 3, 4]) expect(await send(token, `8490123456${digit}`)).toBe(200)
  await send(token, '84901234561')
  await send(token, groupId(token, 20))
  expect((await limitOf(token)).body).toMatchObject({
    ...{ is_capped: false, cap_status: 'first_warning' },
    ...{ quota_limit: 5, quota_used: 4, quota_remaining: 1 },
  })

  await send(token, '84901234565')
  expect((await limitOf(token)).body).toMatchObject({ is_capped: true, quota_remaining: 0 })
  expect(await send(token, nobody)).toBe(403)
  expect(await send(token, '84901234561')).toBe(200)
  expect(await send(token, groupId(token, 20))).toBe(200)

  await simulator.control('POST /messages', { token, from: '84901234561', body: 'hi' })
  expect((await limitOf(token)).body).toMatchObject({ is_capped: false, quota_used: 4 })
  expect(await send(token, nobody)).toBe(200)
})

test('a status holds until its end, where a cycle begins', async () => {
  const token = simulator.linked()
  const newChatUntil = Math.floor(Date.now() / 1000) + 3600
  await setChannel({ token, newChatStatus: 'capped', newChatUntil })
  expect((await limitOf(token)).body).toMatchObject({ is_capped: true, cycle_end_at: newChatUntil })
  expect(await send(token, nobody)).toBe(403)

  await setChannel({ token, newChatUntil: newChatUntil - 7200 })
  expect((await limitOf(token)).body).toMatchObject({
    ...{ is_capped: false, cap_status: 'none', cycle_start_at: newChatUntil - 7200 },
  })
  expect(await send(token, nobody)).toBe(200)
})

// R-1193
test.each([
  ['test_linked_warned', 'first_warning', 200],
  ['test_linked_capped', 'capped', 403],
])('the token %s has the limit %s', async (token, cap_status, sent) => {
  expect((await limitOf(token)).body).toMatchObject({ cap_status })
  expect(await send(token, nobody)).toBe(sent)
})

test('the token test_linked_locked is locked, and one number refuses every first message', async () => {
  const path = 'GET /business/limits/reachout_timelock'
  expect((await simulator.call('test_linked_locked', path)).body).toMatchObject({ is_restricted: true })
  const token = simulator.linked()
  const { status, body } = await simulator.call(token, 'POST /messages/text', {
    ...{ to: '84901255509', body: 'x' },
  })
  expect([status, body.error.details]).toEqual([403, expect.stringContaining('463')])
  expect((await simulator.call(token, path)).status).toBe(204)
})
