// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, without } from './guard.ts'

const service = `${features}/jobs/review.service.ts`
const change = `${features}/jobs/change-job.service.ts`

const proof = (only: string) => ({ tests: `${features}/jobs/approval`, only })

/** Guards of approval. Those of the database are in approval-guards.test.ts. */
export const approvalGuards = [
  without(
    'nobody approves a job that they made',
    service,
    '[job.authorId, job.editorId]',
    '[job.editorId]',
    proof('neither the author'),
  ),
  without(
    'nobody approves a job that they changed last',
    service,
    '[job.authorId, job.editorId]',
    '[job.authorId]',
    proof('neither the author'),
  ),
  without(
    'the version that was read is approved',
    service,
    'requireVersion(version, job.version)',
    '',
    proof('what was not seen'),
  ),
  without(
    'the content that approval was asked for is approved',
    'server/src/engine/jobs/review.ts',
    ' and review_hash = job_content_hash(id)',
    '',
    proof('what was not seen'),
  ),
  without(
    'a job in review is locked',
    change,
    "if (job.review === 'in_review') throw new Refusal('in_review')",
    '',
    proof('changed only after'),
  ),
  without(
    'an overdue job gets a new time with a change',
    change,
    "if (job.review === 'overdue' && change.scheduledAt === undefined) throw new Refusal('approval_overdue')",
    '',
    proof('by its time is overdue'),
  ),
  without(
    'an overdue job is not approved',
    service,
    "if (job.isOverdue && action !== 'takeBack') throw new Refusal('approval_overdue')",
    '',
    proof('after the time is refused'),
  ),
  without(
    'nobody approves a series that they saved',
    `${features}/series/series.queries.ts`,
    ' and ${isNoAuthorOfSeries(sql`${by.id}`)}',
    '',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'nobody approves a text of a series that they changed last',
    'server/src/platform/approvers.ts',
    ' and s.text_edited_by_user_id is distinct from ${userId}',
    '',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'nobody approves a message that they chose for a run',
    'server/src/platform/approvers.ts',
    ' and r.message_by_user_id = ${userId}))`',
    ' and false))`',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'a run with a message of its own needs an approval of it',
    `${features}/series/due.queries.ts`,
    'and not exists (select ${unapprovedRuns} and r.id = ${runId})',
    '',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'a run is approved as what was approved',
    `${features}/series/due.queries.ts`,
    'and ${isApprovedSeries} ',
    '',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'a run has a fifth more recipients at most',
    `${features}/series/due.queries.ts`,
    'and j.recipient_count <= s.approved_recipients * 1.2',
    '',
    { tests: 'server/test/series-approval' },
  ),
  without(
    'approval needs two',
    `${features}/instances/instances.service.ts`,
    '(await countApprovers(tx, id)) < 2',
    'false',
    proof('needs two active'),
  ),
]
