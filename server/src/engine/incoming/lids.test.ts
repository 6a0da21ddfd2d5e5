import { expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { sql } from '../../platform/database/sql.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { openLidReader } from './lids.ts'

const context = useEngineContext()

/** A running job to 150 people whose LIDs the provider tells, and a worker that reads them. */
async function useJob() {
  const { provider, script } = scriptedProvider()
  const instance = await context.add.instance()
  const recipients = people(150)
  await context.add.job({ instanceId: instance.id, recipients, status: 'Running' })
  const phones = recipients.map((chat) => chat.split('@')[0] ?? '')
  for (const phone of phones) script.lids.set(phone, `1${phone}`)
  const asked: number[] = []
  const lidsOf = provider.lidsOf
  const connection = {
    isMetered: async () => false,
    onAsk: () => {},
  }
  const read = openLidReader(
    context.deps({
      ...provider,
      isMetered: () => connection.isMetered(),
      async lidsOf(credentials, some) {
        asked.push(some.length)
        connection.onAsk()
        return lidsOf(credentials, some)
      },
    }),
  )
  await context.db.run(sql`delete from known_lids`)
  await context.db.run(sql`insert into known_lids values ('5', ${phones[0] ?? ''})`)
  const known = async () =>
    (await context.db.one<{ count: number }>(sql`select count(*) from known_lids`)).count
  return { asked, connection, known, read: () => read(new AbortController().signal) }
}

// R-1194
test('the LIDs of a job’s recipients are read page by page, each number once', async () => {
  const { asked, known, read } = await useJob()
  while ((await read()) > 0);
  expect(await known()).toBe(150)
  expect(asked).toEqual([99, 50])
})

// R-1194
test('a provider that is unreachable is asked again later, and one that refuses is not', async () => {
  const { asked, connection, known, read } = await useJob()
  let kind: 'unreachable' | 'not_found' = 'unreachable'
  connection.onAsk = () => {
    throw new ProviderFailure(kind, { code: 'provider_unreachable', params: {} })
  }
  expect([await read(), await read()]).toEqual([1, 0])
  kind = 'not_found'
  const other = await useJob()
  other.connection.onAsk = connection.onAsk
  while ((await other.read()) > 0);
  expect([asked.length, await known()]).toEqual([1, 1])
})

// R-1194
test('where calls are counted, no LIDs are read', async () => {
  const { asked, connection, read } = await useJob()
  connection.isMetered = async () => true
  while ((await read()) > 0);
  expect(asked).toEqual([])
})

// R-1114
test('the LIDs of a simulated WhatsApp are read again by a real account', async () => {
  const { known, read } = await useJob()
  await context.db.run(sql`update known_lids set is_test = true`)
  await context.db.run(sql`update instances set is_test = false`)
  while ((await read()) > 0);
  expect(await known()).toBe(151)
})
