import type { Finding } from '@sendroom/contract/system'
import type { Config } from '../../config.ts'
import { readBacklog } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { findProcesses } from '../../platform/database/processes.ts'
import { type Examined, finding } from './finding.ts'
import {
  countTestInstances,
  findGeneratedPassword,
  findTroubledInstances,
  readLastBackup,
} from './system.queries.ts'

/** Workers beat every 2 s. */
const STUCK_S = 60
const MANY_RECEIPTS = 5_000
const OLD_BACKUP_HOURS = 48
const MAX_NAMES = 5

/** Checks processes, instances, queue, backups and the first Admin. Finds nothing while the database is unavailable. */
export async function checkWork({ db, config }: Examined): Promise<Finding[]> {
  if (typeof db === 'string' || !(await isAvailable(db))) return []
  const [backlog, processes, instances, backup, generated, testMode] = await Promise.all([
    readBacklog(db),
    findProcesses(db),
    checkInstances(db),
    readLastBackup(db),
    findGeneratedPassword(db),
    checkTestMode(db, config),
  ])
  return [
    checkProcesses(processes, backlog.secondsSinceBeat),
    instances,
    ...testMode,
    checkQueue(backlog),
    ...checkReceipts(backlog),
    checkBackup(backup),
    ...(generated ? [finding('password_generated', { name: generated.username })] : []),
  ]
}

const isAvailable = (db: Pool) =>
  db.checkAvailable().then(
    () => true,
    () => false,
  )

function checkProcesses(
  { workers, servers }: { workers: number; servers: number },
  beatAge: number,
): Finding {
  if (workers + servers === 0) return finding('not_running', { command: 'npm start' })
  if (workers === 0) return finding('no_worker', { command: 'npm start -- worker' })
  if (beatAge > STUCK_S) return finding('workers_stuck', { seconds: Math.round(beatAge) })
  if (servers === 0) return finding('no_server', { command: 'npm start -- server' })
  return finding('processes_ok', { workers, servers })
}

async function checkInstances(db: Pool): Promise<Finding> {
  const { active, troubled, names } = await findTroubledInstances(db, MAX_NAMES)
  if (troubled === 0) return finding('accounts_ok', { accounts: active })
  const more = troubled > names.length ? ', …' : ''
  return finding('accounts_troubled', { count: troubled, names: names.join(', ') + more })
}

async function checkTestMode(db: Pool, { testMode }: Config): Promise<Finding[]> {
  return testMode ? [] : [finding('test_mode_off', { accounts: await countTestInstances(db) })]
}

type Backlog = Awaited<ReturnType<typeof readBacklog>>

const checkQueue = ({ due, scheduled, paused, unclaimedInstances }: Backlog): Finding =>
  unclaimedInstances > 0
    ? finding('queue_stands', { accounts: unclaimedInstances })
    : finding('queue_ok', { due, scheduled, paused })

function checkReceipts({ storedReceipts, receiptsSetAside }: Backlog): Finding[] {
  const late = storedReceipts >= MANY_RECEIPTS && finding('receipts_late', { count: storedReceipts })
  const aside =
    receiptsSetAside > 0 &&
    finding('receipts_set_aside', { count: receiptsSetAside, table: 'receipts_set_aside' })
  return [late, aside].filter((found) => found !== false)
}

function checkBackup(last: { secondsAgo: number } | undefined): Finding {
  const command = 'npm start -- backup FILE'
  if (!last) return finding('backup_missing', { command })
  const hours = Math.floor(last.secondsAgo / 3600)
  return hours > OLD_BACKUP_HOURS
    ? finding('backup_old', { days: Math.floor(hours / 24), command })
    : finding('backup_ok', { hours })
}
