import { threadId } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../../test/until.ts'
import * as tasks from '../../../test/worker-tasks.ts'
import { openWorkerThread, type WorkerThread } from './worker-thread.ts'

let thread: WorkerThread
afterEach(() => thread.stop())

const open = (idleMs?: number) => {
  thread = openWorkerThread(idleMs)
}
const never = new AbortController().signal
const call = <I, O>(run: (input: I) => O | Promise<O>, input: I, signal = never) =>
  thread.run({ module: tasks.url, run }, input, signal)

test('a function runs on another thread, which the next call uses again', async () => {
  open()
  const first = await call(tasks.threadOf, null)
  expect(first).not.toBe(threadId)
  expect(await Promise.all([call(tasks.double, 21), call(tasks.threadOf, null)])).toEqual([42, first])
})

test('an error comes back as an error, and the thread goes on', async () => {
  open()
  const first = await call(tasks.threadOf, null)
  await expect(call(tasks.fail, 'broken')).rejects.toThrow(new RangeError('broken'))
  expect(await call(tasks.threadOf, null)).toBe(first)
})

test('a thread that ends during a call fails that call only', async () => {
  open()
  const failing = call(tasks.throwLater, 'gone')
  const next = call(tasks.double, 1)
  await expect(failing).rejects.toThrow('gone')
  expect(await next).toBe(2)
})

test('aborting ends a function that never returns, and the next call gets a new thread', async () => {
  open()
  const leaving = new AbortController()
  const endless = call(tasks.loop, null, leaving.signal)
  const waiting = call(tasks.double, 21)
  setTimeout(() => leaving.abort(), 300)
  await expect(endless).rejects.toThrow('aborted')
  expect(await waiting).toBe(42)
})

test('an aborted call that still waits does not disturb the one that runs', async () => {
  open()
  const first = await call(tasks.threadOf, null)
  const leaving = new AbortController()
  const running = call(tasks.threadOf, null)
  const waiting = call(tasks.double, 1, leaving.signal)
  leaving.abort()
  await expect(waiting).rejects.toThrow('aborted')
  expect(await running).toBe(first)
})

test('an idle thread ends', async () => {
  open(20)
  const first = await call(tasks.threadOf, null)
  await until('a new thread', async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return (await call(tasks.threadOf, null)) !== first
  })
})
