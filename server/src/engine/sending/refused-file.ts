import type { Reason } from '@sendroom/contract/values'
import type { Db } from '../../platform/database/connection.ts'
import { json, sql } from '../../platform/database/sql.ts'
import { insertLogLines, reason } from '../shared/job-log.ts'
import { hasQueuedDelivery } from '../shared/queue.ts'
import type { IntendedMessage } from './intent.ts'

/** A file that was refused for so many recipients in a row would be refused for all others. */
const REFUSED_IN_A_ROW = 3

const codes: ReadonlySet<Reason['code']> = new Set(['content_too_large', 'media_refused'])

/** Whether the refusal may be because of the message's file, not of its recipient. */
export const isOfFile = ({ mediaId }: Pick<IntendedMessage, 'mediaId'>, { code }: Reason) =>
  mediaId !== null && codes.has(code)

/**
 * Pauses the job if the recipients before this one were refused its file, too. A person decides: nothing of the job can
 * be sent as it is, and each attempt counts against the account. This comes before the result is written, because that
 * statement also writes the next intent.
 *
 * Ids do not tell who was before: recipients of a retry lie between those of the first time, and known people go first.
 * Attempts before a resume or a retry do not count, because somebody has decided since.
 */
export const pauseIfRefusedInARow = (tx: Db, { id, jobId }: IntendedMessage, why: Reason) =>
  tx.run(sql`
    with paused as (
      update jobs j set paused_at = clock_now()
      where j.id = ${jobId} and j.status = 'Running' and j.paused_at is null and ${hasQueuedDelivery} and (
        select count(*) filter (where before.status = 'failed' and before.reason->>'code' = ${why.code})
        from (
          select d.status, d.reason from deliveries d
          where d.job_id = ${jobId} and d.id <> ${id} and d.intent_at >= coalesce(j.resumed_at, 'epoch')
          order by d.intent_at desc limit ${REFUSED_IN_A_ROW - 1}) before
      ) = ${REFUSED_IN_A_ROW - 1}
      returning j.id
    )
    ${insertLogLines(sql`
      select id, 'Error', ${json(reason('job_paused_by_refusals', { ...why.params, why: why.code }))} from paused`)}`)
