/**
 * Imports 100,000 rows and undoes it, alone and while 100 accounts send: how long does each step take, and how much
 * memory? Each file is imported by a server that was just started.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import type { Import } from '@sendroom/contract/imports'
import { sql } from '../../server/src/platform/database/sql.ts'
import { until } from '../../server/test/until.ts'
import { xlsxParts, zipOf } from '../../server/test/zip.ts'
import { type Environment, openEnvironment } from './engine-environment.ts'
import { peakMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const ROWS = 100_000
const MEGABYTES = 50
const SENDING = 100
const PAUSE_MS = 1000
/** An import is compared with the memory of this time before it. */
const CALM_MS = 20_000

const { imports } = contract
const HEADER = ['Tên', 'Số điện thoại', 'Ghi chú', 'Nhãn']
const table = [
  HEADER,
  ...Array.from({ length: ROWS }, (_, n) => [
    `Khách hàng ${(n * 7919) % ROWS}`,
    `09${String(10_000_000 + n)}`,
    `Ghi chú ${n}: gọi lại sau giờ làm việc`,
    `Nhóm ${n % 50}`,
  ]),
]

/** As Excel writes it: all texts stand in a part of their own, each once. */
function toXlsx(): Buffer<ArrayBuffer> {
  const places = new Map<string, number>()
  const placeOf = (text: string) => {
    if (!places.has(text)) places.set(text, places.size)
    return places.get(text)
  }
  const rows = table.map((cells, row) => {
    const tags = cells.map(
      (text, column) => `<c r="${'ABCD'[column]}${row + 1}" t="s"><v>${placeOf(text)}</v></c>`,
    )
    return `<row r="${row + 1}">${tags.join('')}</row>`
  })
  const sharedStrings = [...places.keys()].map((text) => `<si><t>${text}</t></si>`).join('')
  return Buffer.from(zipOf(xlsxParts({ Sheet1: rows.join('') }, { sharedStrings })))
}

const files = {
  csv: Buffer.from(table.map((cells) => cells.join(';')).join('\r\n')),
  xlsx: toXlsx(),
}

await using environment = await openEnvironment()
const { db, home } = environment
const rows: Record<string, string | number>[] = []
for (const isSending of [false, true]) {
  if (isSending) await beginSending()
  for (const kind of ['csv', 'xlsx'] as const) await measure(kind, isSending)
}
printTable(
  `Imports of ${ROWS.toLocaleString('en')} rows. Limits: 60 s for check and import together, 30 s to undo`,
  rows,
)

async function beginSending(): Promise<void> {
  await db.run(
    sql`update instances set private_pause_from_ms = ${PAUSE_MS}, private_pause_to_ms = ${PAUSE_MS}`,
  )
  await environment.addJobs(SENDING, 2000)
  await environment.startJobs()
  const areSending = async () =>
    (await db.run(sql`select from instances where last_intent_at is not null`)) === SENDING
  await until(`${SENDING} accounts send`, areSending, 60_000)
}

async function measure(kind: keyof typeof files, isSending: boolean): Promise<void> {
  await environment.restart()
  const step = await openSteps(environment)
  const client = await home.signIn(environment.sendroom)
  const form = new FormData()
  form.append('file', new Blob([files[kind]]), `customers.${kind}`)
  const upload = await step(() => client.ask(imports.upload, { body: form } as never))
  const { id } = upload.result
  const get = () => client.ask(imports.get, { params: { id } })
  const untilIt = (status: Import['status']) =>
    until(`the import is ${status}`, async () => (await get()).status === status, 300_000)
  const check = await step(() => untilIt('checked'))
  const store = await step(async () => {
    await client.ask(imports.start, { params: { id }, body: { known: 'overwrite', consent: 'They agreed' } })
    await untilIt('done')
  })
  const { added } = await get()
  const undo = await step(async () => {
    await client.ask(imports.undo, { params: { id } } as never)
    await untilIt('undone')
  })
  const { undone } = await get()
  if (added !== ROWS || undone?.removed !== ROWS)
    throw new Error(`The figures mean nothing: ${added} added, ${undone?.removed} removed`)
  for (const [name, { seconds, megabytes }] of Object.entries({ upload, check, import: store, undo }))
    rows.push({
      ...{ file: kind, 'others send': isSending ? SENDING : 0, step: name, seconds },
      ...{ 'MB more': megabytes, limit: MEGABYTES },
    })
}

/** Returns a function that measures how long a step takes, and how much more memory the server has in it at most. */
async function openSteps({ sendroom: { pid } }: Environment) {
  peakMegabytes(pid, true)
  await delay(CALM_MS)
  const calm = peakMegabytes(pid)
  return async <T>(run: () => Promise<T>) => {
    peakMegabytes(pid, true)
    const began = performance.now()
    const result = await run()
    return { result, seconds: (performance.now() - began) / 1000, megabytes: peakMegabytes(pid) - calm }
  }
}
