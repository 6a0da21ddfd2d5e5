/** Cancels one job in a process of its own, so that it can be done by an engine broken on purpose. */

import type { DatabaseAddress } from '../../src/database-url.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { type Breakage, breakEngine, expectBroken } from './breakages.ts'

export type ClerkOptions = { database: DatabaseAddress; jobId: number; breakage?: Breakage }

const { database, jobId, breakage }: ClerkOptions = JSON.parse(process.env.CLERK ?? '')
if (breakage) breakEngine(breakage)
const { cancelJob } = await import('../../src/engine/index.ts')
if (breakage) expectBroken(breakage)

const db = connect(database, { max: 1, applicationName: 'clerk' })
await cancelJob(db, jobId, 'Ann')
await db.end()
