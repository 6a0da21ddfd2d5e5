import { z } from 'zod'
import { reviewWords } from './job-approval.ts'
import { limits } from './limits.ts'
import { Instant, key, ReadVersion } from './values.ts'

/** The approval of a series by somebody other than its author. */
export const SeriesApproval = z
  .object({
    /** Whether its content, rule and sources are those that were approved. */
    isApproved: z.boolean(),
    /** How many runs to come have a message of their own that nobody has approved. */
    unapprovedRuns: z.number(),
    /** The last approval: by whom, when, and for how many recipients. Null if nobody approved it. */
    by: z.string().nullable(),
    at: Instant.nullable(),
    recipients: z.number().nullable(),
    /** The changes that somebody has asked for since its last change. */
    changesAsked: z.object({ by: z.string(), at: Instant, words: z.string() }).nullable(),
    /**
     * Whether the caller may approve it now, with the messages of its runs. Nobody approves a series that they saved
     * last, or a message that they chose for a run.
     */
    canApprove: z.boolean(),
  })
  .nullable()
  .meta({ description: 'Null for an account that needs no approval' })

/** The approval of a series for runs with so many recipients. A run may have a fifth more. */
export const ApproveSeries = z.object({
  /** A series that has changed since somebody read it is not approved. A change of its messages is one, too. */
  version: ReadVersion.unwrap(),
  recipients: z
    .number(key('SERIES_FORM.APPROVED_INVALID'))
    .int(key('SERIES_FORM.APPROVED_INVALID'))
    .min(1, key('SERIES_FORM.APPROVED_INVALID'))
    .max(limits.recipients, key('SERIES_FORM.APPROVED_INVALID')),
})
export type ApproveSeries = z.output<typeof ApproveSeries>

/** Asks for changes of a series, in the version that somebody has read. */
export const AskSeriesChanges = ApproveSeries.pick({ version: true }).extend({ words: reviewWords })
export type AskSeriesChanges = z.output<typeof AskSeriesChanges>
