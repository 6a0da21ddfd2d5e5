/**
 * A program for `lists.ts`: syncs all instances at once, over and over, as the worker does: a page of a hundred groups,
 * then a second's pause. In every page some people have come and some have gone.
 */

import { setTimeout as delay } from 'node:timers/promises'
import {
  claimSync,
  renewSync,
  type Sync,
  writeGroups,
} from '../../server/src/features/groups/sync.queries.ts'
import { connect } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'

const GROUPS_PER_PAGE = 100
const PAUSE_MS = 1000

const db = connect(JSON.parse(process.argv[2] ?? ''), { max: 10, applicationName: 'sendroom bench' })
const instances = await db.many<{ id: number }>(sql`select id from instances`)
console.log(`Syncing ${instances.length} instances`)
await db.run(sql`update instances set sync_due_at = clock_now(), sync_tries = 0`)
const claimed: Sync[] = []
for (const _ of instances) {
  const sync = await claimSync(db, true)
  if (sync) claimed.push(sync)
}
await Promise.all(claimed.map(readAgainAndAgain))

async function readAgainAndAgain(sync: Sync) {
  await delay(Math.random() * PAUSE_MS)
  const { instanceId } = sync
  for (let page = 0; ; page++) {
    const groups = await db.many<{ id: number; chatId: string; name: string }>(sql`
      select id, chat_id, name from groups where instance_id = ${instanceId}
      order by id limit ${GROUPS_PER_PAGE} offset ${(page % 50) * GROUPS_PER_PAGE}`)
    const rows = groups.map(({ id, chatId, name }) => ({
      ...{ chatId, name, participantCount: 2, isAdminsOnly: false },
      participants: [id, id % 10 === 0 ? page : 0].map((person) => ({
        personId: `84${person}`,
        rank: 'member' as const,
      })),
    }))
    await renewSync(db, sync)
    await writeGroups(db, sync, rows, new Map())
    await delay(PAUSE_MS)
  }
}
