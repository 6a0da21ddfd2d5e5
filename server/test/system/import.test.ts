import { contract } from '@sendroom/contract'
import type { Import } from '@sendroom/contract/imports'
import { expect, test } from 'vitest'
import type { HttpClient } from '../http-client.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'

const { imports, contacts } = contract
const ROWS = 10_000
/** In each hundred rows one repeats the number of the row before it, and one has none. */
const FILE = [
  'Name;Phone',
  ...Array.from({ length: ROWS }, (_, n) => {
    const number = n % 100 === 99 ? 'none' : `09${String(10_000_000 + (n % 100 === 50 ? n - 1 : n))}`
    return `Customer ${n};${number}`
  }),
].join('\n')
const COUNTS = {
  rows: ROWS,
  added: ROWS * 0.98,
  changed: 0,
  unchanged: 0,
  twice: ROWS / 100,
  refused: ROWS / 100,
}

// R-1006
test('an import goes on after the process was killed in the middle, to the same counts', {
  timeout: 240_000,
}, async () => {
  await using home = await readyInstallation()
  let sendroom = await home.start()
  const admin = await home.signIn(sendroom)
  const form = new FormData()
  form.append('file', new Blob([FILE]), 'customers.csv')
  const { id } = await admin.ask(imports.upload, { body: form } as never)
  const get = () => admin.ask(imports.get, { params: { id } })
  const restart = async () => {
    await sendroom.end('SIGKILL')
    sendroom = await home.start()
    admin.url = sendroom.url
  }
  await restart()
  await until('all rows are checked', async () => (await get()).status === 'checked', 60_000)
  await admin.ask(imports.start, { params: { id }, body: { known: 'overwrite', consent: 'They agreed' } })
  const stored = async (client: HttpClient) =>
    (await client.ask(contacts.search, { body: { pageSize: 1 } })).pagination.totalCount
  await until('some are stored', async () => (await stored(admin)) > 0, 60_000)
  const { status } = await get()
  await restart()
  // Otherwise the kill hit nothing.
  expect(status).toBe('running')
  await until('the import is done', async () => (await get()).status === 'done', 60_000)
  expect(countsOf(await get())).toEqual(COUNTS)
  expect(await stored(admin)).toBe(COUNTS.added)
})

const countsOf = ({ rows, added, changed, unchanged, twice, refused }: Import) => ({
  ...{ rows, added, changed, unchanged, twice, refused },
})
