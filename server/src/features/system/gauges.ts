import type * as Prometheus from 'prom-client'
import { readBacklog } from '../../engine/index.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { readLastBackup } from './system.queries.ts'
import { within } from './within.ts'

/** The module prom-client, and the registry of one process. */
export type Registry = { prometheus: typeof Prometheus; registers: [Prometheus.Registry] }

/** Less than the ten seconds for which Prometheus waits. */
const DATABASE_MS = 3_000

/**
 * Returns a function that reads the gauges for one scrape. Those of the database are the same in each process, so their
 * maximum is the truth. While the database is unavailable only `sendroom_database_up` is left of them.
 */
export function openGauges(
  { prometheus: { Gauge }, registers }: Registry,
  { db, role }: { db: Pool; role: string },
) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `sendroom_${name}`, help, labelNames, registers })
  const connections = gauge('pool_connections', 'Connections to the database', 'state')
  const callers = gauge('pool_waiting', 'Who waits for a connection to the database')
  const up = gauge('database_up', '1 while the database can be written to, otherwise 0')
  gauge('process_info', 'This process', 'role').labels(role).set(1)

  const queued = gauge('queued_deliveries', 'Deliveries to be sent, by the state of their job', 'state')
  const unclaimed = gauge(
    'unclaimed_accounts',
    'Accounts that could have sent for ten seconds, without a worker',
  )
  const waiting = gauge('waiting_accounts', 'Accounts in trouble, for which running jobs wait')
  const doubts = gauge('deliveries_in_doubt', 'Messages of which nobody knows whether they were sent')
  const stored = gauge('stored_receipts', 'Receipts that a worker has yet to apply')
  const beat = gauge('heartbeat_age_seconds', 'Since any worker was alive')
  const backup = gauge('backup_age_seconds', 'Since the last backup. Absent if there was none')
  const ofDatabase = [unclaimed, waiting, doubts, stored, beat, backup]

  async function readDatabase() {
    const [backlog, lastBackup] = await Promise.all([
      readBacklog(db),
      readLastBackup(db),
      db.checkAvailable(),
    ])
    for (const state of ['due', 'scheduled', 'paused'] as const) queued.labels(state).set(backlog[state])
    unclaimed.set(backlog.unclaimedInstances)
    waiting.set(backlog.waitingInstances)
    doubts.set(backlog.inDoubt)
    stored.set(backlog.storedReceipts)
    beat.set(backlog.secondsSinceBeat)
    if (lastBackup) backup.set(lastBackup.secondsAgo)
  }

  return async function readGauges() {
    const { open, inUse, waiting: callersNow } = db.usage()
    connections.labels('open').set(open)
    connections.labels('in_use').set(inUse)
    callers.set(callersNow)
    try {
      await within(DATABASE_MS, readDatabase())
      up.set(1)
    } catch {
      up.set(0)
      queued.reset()
      for (const one of ofDatabase) one.remove()
    }
  }
}
