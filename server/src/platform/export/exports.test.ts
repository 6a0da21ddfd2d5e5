import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import readXlsxFile from 'read-excel-file/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openExports } from './exports.ts'
import { type Column, toCsv, toXlsx } from './tables.ts'

const never = new AbortController().signal
const caller = { id: 1, apiKey: null }

/** Endless, and so long that no buffer takes a page. `left` is called when nobody reads on. */
async function* endless(left: () => void) {
  try {
    for (;;) yield 'x'.repeat(1_000_000)
  } finally {
    left()
  }
}

test('a client that leaves ends the work, and the next export of the user begins', async () => {
  const exports = openExports()
  const [left, client] = [vi.fn(), new AbortController()]
  const file = async () => ({ fileName: 'a', chunks: endless(left) })
  const first = await exports.open({ caller, signal: client.signal }, file)
  first.file.on('error', () => {})
  first.file.read()
  const second = exports.open({ caller, signal: never }, async () => ({
    fileName: 'b',
    chunks: endless(() => {}),
  }))
  await expect(Promise.race([second, Promise.resolve('waiting')])).resolves.toBe('waiting')
  client.abort()
  expect((await second).fileName).toBe('b')
  expect(left).toHaveBeenCalledOnce()
  const { file: running } = await second
  const broken = new Promise((resolve) => running.once('error', resolve))
  await exports.stop()
  expect(await broken).toMatchObject({ name: 'AbortError' })
})

test('a client that does not read on is cut off in the end', async () => {
  const left = vi.fn()
  const { file } = await openExports({ maxMs: 20 }).open({ caller, signal: never }, async () => ({
    fileName: 'a',
    chunks: endless(left),
  }))
  file.read()
  await new Promise((resolve) => file.once('error', resolve))
  await expect.poll(() => left).toHaveBeenCalledOnce()
})

test.each([
  ['in the middle', 3],
  ['before the end, which is buffered', 1],
])('a client that reads too slowly is cut off %s', async (_, pages) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { file } = await openExports().open({ caller, signal: never }, async () => ({
    fileName: 'a',
    chunks: pagesOf(...Array.from({ length: pages }, () => 'x'.repeat(50_000))),
  }))
  const broken = new Promise((resolve) => file.once('error', resolve))
  file.read(1)
  await vi.advanceTimersByTimeAsync(40_000)
  expect(await broken).toMatchObject({ name: 'AbortError' })
})

test('a client is not cut off for a file that takes long to make', async () => {
  const slow = async function* () {
    for (const page of ['a', 'b', 'c']) {
      await delay(30)
      yield page
    }
  }
  const exports = openExports({ graceMs: 20 })
  const { file } = await exports.open({ caller, signal: never }, async () => ({
    fileName: 'a',
    chunks: slow(),
  }))
  expect(String(await buffer(file))).toBe('abc')
})

test('an error before the beginning is the answer, and frees the turn', async () => {
  const exports = openExports()
  const failing = exports.open({ caller, signal: never }, () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  const next = exports.open({ caller, signal: never }, async () => ({
    fileName: 'b',
    chunks: pagesOf(''),
  }))
  expect((await next).fileName).toBe('b')
})

async function* pagesOf<T>(...pages: T[]) {
  yield* pages
}

const odd = [
  '=1+1',
  ' two  spaces ',
  'line\nbreak',
  'bell\u0007',
  'half an emoji \ud83c',
  '"<&>\']]>',
  '0012',
  '',
  'no characters \ufffe\uffff',
]
const columns: Column<string>[] = [
  { title: 'Name', width: 20, cell: (text) => text },
  { title: '=Other', cell: () => 'x' },
]

test('an Excel file keeps each text as a text', async () => {
  const chunks: Uint8Array[] = []
  for await (const chunk of toXlsx(columns, pagesOf(odd.slice(0, 3), odd.slice(3)))) chunks.push(chunk)
  const [sheet] = await readXlsxFile(Buffer.concat(chunks), { trim: false })
  expect(sheet?.data.map((row) => row[0])).toEqual([
    'Name',
    ...[
      '=1+1',
      ' two  spaces ',
      'line\nbreak',
      'bell\u0007',
      'half an emoji \ufffd',
      '"<&>\']]>',
      '0012',
      null,
      'no characters \ufffd\ufffd',
    ],
  ])
  expect(sheet?.data[0]).toEqual(['Name', '=Other'])
})

test.each([
  ['full-width', '＝1', '＋1', '－1', '＠x'],
  ['small and raised', '﹢1', '⁼1', '﹣1', '﹫x'],
  ['a minus sign', '−1', '\u20101'],
  [
    'behind what is not seen',
    '\u200b=1',
    '\ufeff=1',
    ' =1',
    '\u00a0=1',
    '\u202e=1',
    '\t=1',
    '\r=1',
    '\u0000=1',
  ],
])('a look-alike of a sign begins no cell of a CSV: %s', async (_, ...texts) => {
  const column: Column<string> = { title: 'Name', cell: (text) => text }
  const pages = (async function* () {
    yield texts
  })()
  let csv = ''
  for await (const chunk of toCsv([column], pages)) csv += chunk
  for (const text of texts) expect(csv).toContain(`"'${text}"`)
})

test('a CSV file has quotes, an apostrophe before a formula, and the mark of UTF-8', async () => {
  const text = (await buffer(toCsv(columns, pagesOf(odd.slice(0, 1), odd.slice(5, 6))))).toString()
  expect(text).toBe('\ufeff"Name","\'=Other"\r\n"\'=1+1","x"\r\n"""<&>\']]>","x"\r\n')
})
