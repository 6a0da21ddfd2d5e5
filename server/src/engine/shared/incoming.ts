import { identifier, sql } from '../../platform/database/sql.ts'

/*
 * An instance writes to people only while it is known what people have written to it: otherwise somebody who has opted
 * out meanwhile would get a message (incoming/). A webhook reports their messages. Where none reaches us, and after a
 * time in which one may not have, they are read.
 */

/** How long a reading counts: a webhook may fail unnoticed, and without one the messages are read every minute. */
export const KNOWN_BY_WEBHOOK = sql`interval '1 hour'`
export const KNOWN_BY_READING = sql`interval '2 minutes'`
/** A reading begins so long before the former one counts no more. */
export const READ_AHEAD = sql`interval '1 minute'`

const isReported = sql`(i.webhook_base is not null or i.is_test)`

/** Condition: what people have written to the instance `i` is known, so its job `j` may send. */
export const incomingIsKnown = sql`(
  j.job_type = 'SendToGroups' or (
    i.incoming_era = current_era() and i.incoming_until > clock_now()
    and (${isReported} or i.incoming_read_until >= greatest(j.started_at, j.resumed_at)))
)`

/** Condition: the messages to the instance `i` have to be read, now or soon. `startedAt` names that of its last job. */
export const needsReading = (startedAt: string) => sql`(
  i.incoming_era is distinct from current_era() or i.incoming_until <= clock_now() + ${READ_AHEAD}
  or (not ${isReported} and coalesce(i.incoming_read_until < ${identifier(startedAt)}, true))
)`
