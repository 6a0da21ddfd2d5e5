import { endpoint } from './endpoint.ts'

/**
 * What can change by itself while somebody looks at it: `jobs` (one came, went, or moved on), `deliveries` (how the
 * recipients of a job stand), `messages`, `instances`, and `groups` (they were read anew). An instance's name stands in
 * its groups, jobs and messages: another name changes them all, and so does its end.
 */
export type ChangedFeature = 'jobs' | 'deliveries' | 'messages' | 'instances' | 'groups'

/**
 * That something changed, not how: whoever shows it reads it again. `id` is the job's for `deliveries`, the
 * instance's for `groups`; null stands for any or many of them.
 */
export type Change = { feature: ChangedFeature; id: number | null }

export const events = {
  follow: endpoint({
    method: 'GET',
    path: '/events',
    access: 'signedIn',
    summary:
      'What changes of what you may see, as server-sent events: each carries a JSON array of { feature, id }. ' +
      'Read everything anew after each connection; the connection ends when your rights change',
    stream: 'text/event-stream',
  }),
}
