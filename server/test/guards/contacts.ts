// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const access = `${platform}/access.ts`

/** Guards of who sees and changes contacts, their lists, and sets of groups. */
export const contacts = [
  without(
    'lists are shared',
    access,
    'return sql`(${list}.is_for_all or exists (',
    'return sql`(true or ${list}.is_for_all or exists (',
    { tests: `${features}/audiences`, only: 'may only use contacts' },
  ),
  without('sets of groups are shared', access, 'or ${set}.is_for_all or exists (', 'or true or exists (', {
    tests: `${features}/audiences`,
    only: 'a set is seen by',
  }),
  without(
    'sets of groups of an instance that was taken away',
    access,
    'sql`(${canSeeInstance(caller, `${alias}.instance_id`)} and (\n',
    'sql`(true and (\n',
    { tests: `${features}/audiences`, only: 'a set is seen by' },
  ),
  without(
    'sets of groups are changed by their owners',
    access,
    'sql`(${identifier(alias)}.created_by_user_id = ${caller.id} and ',
    'sql`(',
    { tests: `${features}/audiences`, only: 'a set is seen by' },
  ),
  without(
    'the password, to delete all contacts that match',
    `${features}/contacts/contacts.service.ts`,
    'if (selection.filter) requireConfirmation(caller)',
    '',
    { tests: `${features}/contacts`, only: 'all that match can be deleted' },
  ),
  without(
    'contacts of a job that is being written are not deleted for their age',
    `${platform}/contacts/lists.ts`,
    '  await lockShared(tx, LOCKS.peopleOfJobs)\n',
    '',
    { tests: `${features}/retention`, only: 'no contact goes while' },
  ),
  without(
    'a typed number does not tell whose it is',
    `${features}/jobs/people.queries.ts`,
    'known.contact_id) and ${isVisible}',
    'known.contact_id)',
    { tests: `${features}/jobs/people`, only: 'does not see' },
  ),
  without(
    'a job goes to contacts that the caller sees',
    `${features}/jobs/people.queries.ts`,
    '::bigint[]) and ${await canSeeContact(db, caller)}`',
    '::bigint[])`',
    { tests: `${features}/jobs/people`, only: 'may use' },
  ),
  without(
    'the name of an account that opt-outs were written to',
    `${features}/opt-outs/opt-outs.queries.ts`,
    "a.id = o.instance_id and ${canSeeInstance(caller, 'a.id')})",
    'a.id = o.instance_id)',
    { tests: `${features}/opt-outs`, only: 'names of their own' },
  ),
]
