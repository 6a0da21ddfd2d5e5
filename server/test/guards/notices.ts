// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, without } from './guard.ts'

const queries = `${features}/notices/notices.queries.ts`

/** Guards of who is told of what. */
export const notices = [
  without(
    'notices of an instance that was taken away',
    queries,
    "where (${isPersonal} or ${canSeeInstance(caller, 't.instance_id')}) and ",
    'where ',
    { tests: `${features}/notices`, only: 'nobody reads' },
  ),
  without(
    'notices for those who see the instance',
    queries,
    'ui.user_id = u.id and ui.instance_id = t.instance_id',
    'true',
    { tests: `${features}/notices`, only: 'told to those who may know' },
  ),
  without('an API key that expires: only for its owner', queries, ' and k.user_id = u.id)', ')', {
    tests: 'server/test/expiring-keys',
    only: 'and nobody else',
  }),
  without(
    'notices that nobody can switch off',
    `${features}/notices/watch.ts`,
    ' and c.kind <> all(${[...fixedKinds]}::text[])',
    '',
    { tests: 'server/test/sign-in-changed', only: 'switch these notices off' },
  ),
  without(
    'notices of the sign-in for whoever is locked',
    queries,
    '(u.is_active or (${isOfSignIn} and not u.is_waiting))',
    'u.is_active',
    { tests: 'server/test/sign-in-changed', only: 'locked' },
  ),
  without('nothing for registrations that wait', queries, ' and not u.is_waiting', '', {
    tests: 'server/test/sign-in-changed',
    only: 'locked',
  }),
]
