// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, without } from './guard.ts'

const making = { tests: 'server/test/series-runs', only: 'pauses when its author' }

/** Guards of who sees and changes series, and with whose rights they run. */
export const series = [
  without(
    'series of the accounts that the caller sees',
    `${features}/series/series.queries.ts`,
    "canSeeInstance(caller, 's.instance_id')",
    'sql`true`',
    { tests: 'server/test/access/c', only: 'answers only' },
  ),
  without(
    'a run needs the right of its author',
    `${features}/series/make-due.ts`,
    "if (!hasAccess(author, 'canCreateJobs'))",
    'if (false)',
    making,
  ),
  without(
    'a run needs the account of its author',
    `${features}/series/make-due.ts`,
    'if (!seesInstance(author, present.instanceId))',
    'if (false)',
    making,
  ),
]
