import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listQuery, page } from './paging.ts'
import { blankable, Id, Instant, idParams } from './values.ts'

// The results of a job whose message is a poll.

export const PollTotals = z
  .object({
    /** The options in the order of the poll, each with its votes from all recipients of the current run. */
    options: z.array(z.object({ name: z.string(), votes: z.number() })),
    /** How many of the messages have results. */
    messages: z.number(),
    /** How many people have voted, once for each message. Null if the provider does not name them all. */
    people: z.number().nullable(),
    /** When results came last. Null if none have come. */
    updatedAt: Instant.nullable(),
  })
  .meta({ id: 'PollTotals' })
export type PollTotals = z.output<typeof PollTotals>

/** A member of a group who has voted. */
export const PollVoter = z
  .object({
    /** The phone number, digits only. If WhatsApp hides the number, an id that ends in `@lid`. */
    personId: z.string(),
    /** Null for somebody without a name, and for somebody who has left the group. */
    name: z.string().nullable(),
    options: z.array(z.string()),
  })
  .meta({ id: 'PollVoter' })
export type PollVoter = z.output<typeof PollVoter>

export const PollVotersQuery = z.object({
  ...listQuery(['id'], { sortBy: 'id', sortDirection: 'asc' }).pick({ page: true, pageSize: true }).shape,
  /** Only who has chosen this option. */
  option: blankable(z.string().max(200).optional()),
})
export type PollVotersQuery = z.output<typeof PollVotersQuery>

/** The endpoints of a job's poll, which are among those of `jobs`. */
export const jobPoll = {
  poll: endpoint({
    method: 'GET',
    path: '/jobs/:id/poll',
    access: 'signedIn',
    allowsApiKeys: true,
    summary:
      'The results of a poll in the current run, over all recipients. `votes` of GET /jobs/:id/recipients has those of ' +
      'each. Reading them asks the provider for a few that may be old',
    params: idParams,
    response: PollTotals,
  }),
  voters: endpoint({
    method: 'GET',
    path: '/jobs/:id/recipients/:recipientId/voters',
    access: 'canExportParticipants',
    allowsApiKeys: true,
    summary: 'Who of a group has voted in a poll, by name; empty where voters are anonymous',
    params: idParams.extend({ recipientId: Id }),
    query: PollVotersQuery,
    response: page(PollVoter),
  }),
}
