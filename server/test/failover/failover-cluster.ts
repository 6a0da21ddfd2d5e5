import type { DatabaseAddress } from '../../src/database-url.ts'

export const faults = [
  'primary killed',
  'switchover',
  'primary partitioned',
  'worker partitioned',
  'primary demoted',
] as const
export type Fault = (typeof faults)[number]

/** A primary and its standby, behind one address that leads to the primary. */
export type FailoverCluster = {
  /** The address that leads to the primary of the moment. */
  superuser: DatabaseAddress
  /** How many seconds of the engine pass in one real second. */
  speed: number
  /** Drops the databases of earlier runs, heals everything, and makes the standby follow the primary in this mode. */
  prepare: (mode: { isSynchronous: boolean }) => Promise<void>
  /** Waits until the standby has everything that is committed now. */
  catchUp: () => Promise<void>
  /** Stops the stream of changes to the standby. */
  stallReplication: () => void
  /** Plays the fault to its end. Returns when the standby was promoted, in ms of the real clock. */
  failOver: (fault: Fault) => Promise<number>
  stop: () => Promise<void>
}
