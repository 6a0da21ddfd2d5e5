import type { contract } from '@sendroom/contract'
import type { JobReview } from '@sendroom/contract/job-life'
import { sql } from '../../src/platform/database/sql.ts'
import { context, type Fixture } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of approval. Whoever sees the account and may create jobs asks and takes back; who approves needs a
// right of their own. These jobs have no author: approval.routes.test.ts shows that nobody approves their own.

const withRight: Statuses = [401, 401, 404, 403, 200, 200]
const admins: Statuses = [401, 401, 403, 403, 403, 200]

const inState =
  <B extends object>(review: JobReview, body: B) =>
  async ({ job: { id } }: Fixture) => {
    await context.db.run(sql`
      update jobs set review = ${review}, review_hash = job_content_hash(id) where id = ${id}`)
    return { ...of(id), body: { version: 1, ...body } }
  }

type Rows = RowsOf<Pick<typeof contract.jobs, 'takeBack' | 'ask' | 'approve' | 'askChanges' | 'override'>>

export const approvalRows: Rows = {
  takeBack: [withRight, inState('in_review', {})],
  ask: [withRight, inState('taken_back', {})],
  approve: [withRight, inState('in_review', {})],
  askChanges: [withRight, inState('in_review', { words: 'Shorter' })],
  override: [admins, inState('in_review', { words: 'Flood warning' })],
}
