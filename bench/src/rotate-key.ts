/**
 * Replaces the encryption key while the jobs of many accounts send, and kills the command at random moments.
 *
 *   ACCOUNTS=1000 KILLS=20 npm run bench -- rotate-key
 */
import { Installation } from '../../server/test/process.ts'
import { rotateUnderKills } from '../../server/test/rotation.ts'
import { printTable } from './table.ts'

const ACCOUNTS = Number(process.env.ACCOUNTS ?? 1000)
const KILLS = Number(process.env.KILLS ?? 20)

await using home = await Installation.create()
const { atKills, ...figures } = await rotateUnderKills(home, {
  ...{ accounts: ACCOUNTS, recipients: 20, pauseMs: 3000 },
  ...{ kills: KILLS, withinMs: 900_000 },
})
printTable('Replacing the key', [{ accounts: ACCOUNTS, kills: KILLS, ...figures }])
console.log(`Accounts with the new key at each kill: ${atKills.join(', ')}`)
