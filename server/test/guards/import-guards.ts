// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, without } from './guard.ts'

/** Guards of who imports contacts, and from where. */
export const importGuards = [
  without(
    'imports are their user’s',
    `${features}/imports/imports.queries.ts`,
    'isAdmin(caller) ? sql`true` : sql`i.user_id = ${caller.id}`',
    'sql`true`',
    { tests: `${features}/imports`, only: 'an import of their own' },
  ),
  without(
    'the right to export the members of groups, to import them',
    `${features}/imports/imports.service.ts`,
    "if (groupIds.length > 0) requireRight(caller, 'canExportParticipants')",
    '',
    { tests: `${features}/imports`, only: 'members of groups' },
  ),
  without(
    'the account of an address book that is being read',
    `${features}/imports/check.ts`,
    "if (!claim.isAllowed) throw new Refusal('forbidden')",
    '',
    { tests: `${features}/imports`, only: 'address book' },
  ),
  without(
    'the right of whoever made an import, when it is started',
    `${features}/imports/imports.service.ts`,
    "if (!locked.isAllowed) throw new Refusal('import_not_allowed')",
    '',
    { tests: `${features}/imports`, only: 'address book' },
  ),
  without(
    'a group stays from the moment that an import is made of it',
    `${features}/imports/imports.queries.ts`,
    "not ${isChannelRow('g')}\n    order by id for key share",
    "not ${isChannelRow('g')}\n    order by id",
    { tests: `${features}/retention`, only: 'an import of a group' },
  ),
]
