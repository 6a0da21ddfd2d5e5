import { endpoint } from './endpoint.ts'

/**
 * The kinds of changes that open pages follow. `jobs`: a job was created, deleted or changed its status. `deliveries`:
 * the state of a job's recipients changed. `groups`: a sync has read the groups of an instance. Renaming or deleting an
 * instance also counts as a change of `groups`, `jobs` and `messages`, because their rows contain its name. `notices`:
 * the bell of a user has changed. `lists`: a list of contacts, or who is in it, has changed. `groupSets`: a set of
 * groups has changed. `series`: a series or one of its runs has changed. `optOuts`: an opt-out, or a message that may
 * have meant one, was added or decided.
 */
export type ChangedFeature =
  | 'jobs'
  | 'deliveries'
  | 'messages'
  | 'instances'
  | 'groups'
  | 'notices'
  | 'lists'
  | 'groupSets'
  | 'series'
  | 'optOuts'

/**
 * An event. It says what changed but not how, so clients read the data again. `id` is the id of the job for
 * `deliveries` and of the instance for `groups`. Null stands for any number of them.
 */
export type Change = { feature: ChangedFeature; id: number | null }

export const events = {
  follow: endpoint({
    method: 'GET',
    path: '/events',
    access: 'signedIn',
    summary:
      'Changes of the data that you may see, as server-sent events. Each carries a JSON array of { feature, id }. ' +
      'Read everything again after each connection; the server closes it when your rights change',
    stream: 'text/event-stream',
  }),
}
