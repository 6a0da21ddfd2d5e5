import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { Followed } from '../../../test/followed.ts'
import { until } from '../../../test/until.ts'
import { deleteOldRows } from '../../engine/index.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useContext()

// R-2135
test('pages with messages, groups, sets and lists follow what goes, for those who see the account', async () => {
  const [mine, theirs] = [await context.add.instance(), await context.add.instance()]
  const user = await context.add.user({ instances: [mine] })
  for (const { id: instanceId } of [mine, theirs]) {
    await context.add.group({ instanceId, leftAt: '2020-01-01T00:00:00Z' })
    await context.add.message({ instanceId, changedAt: '2020-01-01T00:00:00Z' })
  }
  const contact = await context.add.contact({ changedAt: '2020-01-01T00:00:00Z' })
  await context.add.list({ contacts: [contact] })
  await context.db.run(sql`update list_contacts set added_at = '2020-01-01'`)
  await context.db.run(sql`update retention set message_days = 30, group_days = 30, contact_days = 30`)
  const port = await context.listen()
  const headers = { authorization: `Bearer ${user.token}` }
  const { body } = await fetch(`http://127.0.0.1:${port}/api/events`, { headers })
  if (!body) throw new Error('There is no stream.')
  const followed = new Followed(body)

  expect(await deleteOldRows(context.db, new AbortController().signal)).toBe(5)

  const features = () => followed.changes.map(({ feature }) => feature)
  await until('the lists follow', () => features().includes('lists'))
  expect(features()).toEqual(expect.arrayContaining(['messages', 'groups', 'groupSets', 'lists']))
  expect(followed.changes.filter(({ feature }) => feature === 'groups')).toEqual([
    { feature: 'groups', id: mine.id },
  ])
})
