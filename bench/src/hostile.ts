/**
 * Measures what others notice while somebody attacks. An Admin and a Member read lists and sign in on new devices, a
 * load balancer asks whether the server is ready, and 20 instances send: calmly, and during each of seven attacks, one
 * after the other. Figures above the limits stand below the table. HOSTILE_ONLY=images,commands chooses attacks.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../server/src/platform/database/sql.ts'
import { hashPassword } from '../../server/src/platform/passwords.ts'
import { openEnvironment } from './engine-environment.ts'
import { bodyAttack } from './hostile-bodies.ts'
import { commandAttack } from './hostile-commands.ts'
import { imageAttack } from './hostile-images.ts'
import { type Attack, excessesOf, type Observation, observe, PASSWORD } from './hostile-observe.ts'
import { searchAttack } from './hostile-searches.ts'
import { guessAttack, signInAttack } from './hostile-sign-ins.ts'
import { statusAttack } from './hostile-statuses.ts'
import { seedUsers } from './seed.ts'
import { printTable } from './table.ts'

const SENDING = 20
/** At a pause of 200 ms: enough for seven minutes. */
const RECIPIENTS = 2_100
const MEMBERS = 30

await using environment = await openEnvironment()
const { db, instanceIds, simulator } = environment
const [sending, attacked = 0] = [instanceIds.slice(0, SENDING), instanceIds[SENDING]]
const [admin = ''] = await seedUsers(db, { role: 'Admin', count: 1, instanceIds: [] })
const members = await seedUsers(db, { role: 'Member', count: MEMBERS, instanceIds: [attacked] })
await db.run(sql`
  update users set can_create_jobs = true, can_send_messages = true, password_hash = ${await hashPassword(PASSWORD)}
  where password_hash = 'none'`)
await simulator.setLatency(10)
await db.run(sql`update instances set private_pause_from_ms = 200, private_pause_to_ms = 200`)

/** Each attack has Members of its own, because the limits of a user last for a minute. */
const take = (count: number) => members.splice(0, count)
const [member = ''] = take(1)
const target = { environment, sending, attacked, take }
const prepare = { images: imageAttack, commands: commandAttack, statuses: statusAttack, guesses: guessAttack }
const all = { ...prepare, signIns: signInAttack, searches: searchAttack, bodies: bodyAttack }
const chosen = process.env.HOSTILE_ONLY?.split(',')

await environment.addJobs(SENDING, RECIPIENTS)
await environment.startJobs()
// Some attacks want messages that were sent.
await delay(3_000)
const attacks: Attack[] = []
for (const [name, make] of Object.entries(all))
  if (!chosen || chosen.includes(name)) attacks.push(await make(target))
await db.run(sql`vacuum analyze`)

const observers = { environment, sending, admin, member }
const calm: Attack = { what: 'calm', seconds: 15, run: async () => '' }
// The first calls of each kind open connections and compile code.
await observe(observers, { ...calm, seconds: 5 })
const rows: Observation[] = [await observe(observers, calm)]
for (const attack of attacks) rows.push(await observe(observers, attack))
rows.push(await observe(observers, { ...calm, what: 'calm again' }))

printTable(
  'An Admin and a Member, 20 accounts that send, and all processes during attacks',
  rows.map(({ shown }) => shown),
)
for (const { what, answers } of rows) if (answers) console.log(`  ${what}: ${answers}`)
const excesses = excessesOf(rows)
console.log(
  excesses.length > 0 ? `  Beyond the limits: ${excesses.join('; ')}` : '  Nothing is beyond the limits',
)
