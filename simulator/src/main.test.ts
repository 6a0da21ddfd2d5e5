import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { call, png } from '../test/client.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true }))

function run(...options: string[]) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), ...options])
  children.push(child)
  return child
}

async function start(...options: string[]) {
  const child = run('--port', '0', ...options)
  const [line] = await once(child.stdout, 'data')
  return { child, url: String(line).match(/http:\S+/)?.[0] ?? '' }
}

test('channels, media ids, messages, votes and receipt rules survive a kill', async () => {
  const file = path.join(folder, 'simulator.jsonl')
  const first = await start('--file', file)
  await call(first.url, '', 'POST /_control/channels', {
    token: 'test_paired',
    state: 'AUTH',
    number: '84907654321',
  })
  await call(first.url, 'test_linked_out', 'POST /users/logout')
  const media = (await call(first.url, 'test_paired', 'POST /media', png)).body.media[0].id
  const image = { to: '84901234567', caption: 'c', media }
  await call(first.url, 'test_paired', 'POST /messages/image', image)
  const poll = { to: '84901234567', title: 'x', options: ['a', 'b'] }
  const { id: pollId } = (await call(first.url, 'test_paired', 'POST /messages/poll', poll)).body.message
  const vote = { token: 'test_paired', id: pollId, from: poll.to, options: ['b'] }
  await call(first.url, '', 'POST /_control/votes', vote)
  await call(first.url, '', 'POST /_control/receipts', { token: 'test_paired', fate: 'failed', sentMs: 0 })
  const text = { to: '84901234567', body: 'x' }
  const { id } = (await call(first.url, 'test_paired', 'POST /messages/text', text)).body.message
  await call(first.url, '', 'POST /_control/messages', { token: 'test_paired', from: text.to, body: 'STOP' })
  const before = (await call(first.url, '', 'GET /_control/ledger')).body
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const second = await start('--file', file)
  expect((await call(second.url, '', 'GET /_control/ledger')).body).toEqual(before)
  expect(before).toMatchObject({ total: 4, entries: { 1: { votes: { [poll.to]: ['b'] } } } })
  expect((await call(second.url, 'test_paired', `GET /messages/${id}`)).body.status).toBe('failed')
  expect((await call(second.url, 'test_paired', 'GET /health')).body.user.id).toBe('84907654321')
  expect((await call(second.url, 'test_linked_out', 'GET /health?wakeup=false')).body.status.text).toBe(
    'NOT_INIT',
  )
  expect((await call(second.url, 'test_paired', 'POST /messages/image', image)).status).toBe(200)
})

test('SIGTERM ends the process with exit code 0', async () => {
  const { child } = await start()
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('--help lists the options and starts nothing', async () => {
  const child = run('--help')
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  expect(await once(child, 'close')).toEqual([0, null])
  for (const option of ['--port', '--file', '--clock-shift']) expect(output).toContain(option)
})

test.each([
  [['--port', 'http'], '--port must be a number from 0 to 65535.'],
  [['--colour', 'red'], "Unknown option '--colour'."],
  [['--file', '/dev/null/none/x'], 'The simulator could not start: ENOTDIR'],
])('the options %j fail with one clear sentence', async (options, sentence) => {
  const child = run(...options)
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
  })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(output).toContain(sentence)
  expect(output.trim().split('\n')).toHaveLength(1)
})
