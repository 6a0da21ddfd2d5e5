import { createHash, timingSafeEqual } from 'node:crypto'
import { refusalKinds } from '@sendroom/contract/audit-actions'
import type { Pool } from '../../platform/database/connection.ts'
import { startMetering } from '../../platform/meter.ts'
import { openGauges, type Registry } from './gauges.ts'

export type Metrics = {
  /** The metrics as text for Prometheus. Null if the Authorization header does not carry the token. */
  scrape: (authorization: string | undefined) => Promise<{ contentType: string; text: string } | null>
}

/** In seconds, from an instance's next half-second to a failover. */
const LATENESS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300]
/** A call may take 20 s. */
const CALL_TIME = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20]

/**
 * Begins to count what this process does. No label names an instance. Loads prom-client now and not with the program,
 * because few installations use it.
 */
export async function openMetrics(options: { db: Pool; token: string; role: string }): Promise<Metrics> {
  const prometheus = await import('prom-client')
  const register = new prometheus.Registry()
  const registry: Registry = { prometheus, registers: [register] }
  prometheus.collectDefaultMetrics({ register })
  countEvents(registry)
  const readGauges = openGauges(registry, options)
  const expected = digest(`Bearer ${options.token}`)
  return {
    async scrape(authorization = '') {
      if (!timingSafeEqual(digest(authorization), expected)) return null
      await readGauges()
      return { contentType: register.contentType, text: await register.metrics() }
    },
  }
}

/** All of one length, as `timingSafeEqual` needs them. */
const digest = (text: string) => createHash('sha256').update(text).digest()

function countEvents({ prometheus: { Counter, Histogram }, registers }: Registry) {
  /** Counts by one label. The values are there from the beginning, so that the first event shows as an increase. */
  function counter(name: string, label: string, values: string[], help: string) {
    const counts = new Counter({ name, help, labelNames: [label], registers })
    const count = (value: string, n = 1) => counts.labels(value).inc(n)
    for (const value of values) count(value, 0)
    return count
  }
  const histogram = (name: string, buckets: number[], help: string) =>
    new Histogram({ name, help, buckets, registers })

  const attempts = counter(
    'sendroom_attempts_total',
    'status',
    ['sent', 'failed', 'queued', 'doubt'],
    'Attempts to send whose result is saved, by the status of the delivery',
  )
  const lookUps = counter(
    'sendroom_look_ups_total',
    'verdict',
    ['sent', 'not_sent', 'outcome_unknown', 'out_of_retries'],
    'Look-ups of messages in doubt, by what they found',
  )
  const unattempted = counter(
    'sendroom_unattempted_total',
    'status',
    ['sent', 'failed'],
    'Deliveries settled without an attempt: sent as the chat shows, or failed together with their job',
  )
  const receipts = counter(
    'sendroom_receipts_total',
    'state',
    ['delivered', 'read', 'failed'],
    'Receipts from the provider',
  )
  const refusals = counter(
    'sendroom_refusals_total',
    'kind',
    [...refusalKinds],
    'Refused calls that may tell of an attack',
  )
  const claims = histogram('sendroom_claim_lateness_seconds', LATENESS, 'From an end of a pause to the claim')
  const starts = histogram('sendroom_start_lateness_seconds', LATENESS, 'From the time of a job to its start')
  const calls = new Histogram({
    name: 'sendroom_provider_call_seconds',
    help: 'Calls of the provider, by the class of their status',
    ...{ buckets: CALL_TIME, labelNames: ['call', 'status'], registers },
  })
  startMetering({
    attempted: (status) => attempts(status),
    lookedUp: (verdict) => lookUps(verdict),
    foundInHistory: (count) => unattempted('sent', count),
    failedUntried: (count) => unattempted('failed', count),
    received: (state) => receipts(state),
    claimed: (lateMs) => claims.observe(Math.max(0, lateMs) / 1000),
    started: (lateMs) => starts.observe(Math.max(0, lateMs) / 1000),
    refused: (kind) => refusals(kind),
    called: (call, status, tookMs) => calls.labels(call, classOf(status)).observe(tookMs / 1000),
  })
}

/** 429 stands apart: the provider asks us to slow down. */
function classOf(status: number | null): string {
  if (status === null) return 'none'
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`
}
