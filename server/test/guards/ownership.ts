// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { contacts } from './contacts.ts'
import { features, type Guard, platform, without } from './guard.ts'
import { notices } from './notices.ts'
import { series } from './series.ts'

const access = `${platform}/access.ts`

const LISTS = 'lists and numbers'
const NAMES = 'no request may name'

/** The tests of callers and of contents with such a name. */
const rows = (only: string): Partial<Guard> => ({ tests: 'server/test/access/c', only })

/** Guards of who sees and changes which rows. */
export const ownership = [
  ...contacts,
  ...series,
  without(
    'instances are assigned',
    access,
    'isAdmin(caller) ? sql`true` : sql`${identifier(column)} = any(${caller.instanceIds})`',
    'sql`true`',
    rows(`answers only|${LISTS}`),
  ),
  ...notices,
  without(
    'the instance of a message or a job: permission in the query',
    access,
    "id = ${id} and ${canSeeInstance(caller, 'id')} for key share",
    'id = ${id} for key share',
    rows(NAMES),
  ),
  without(
    'a template is shared by an Admin only',
    access,
    '.instance_id is null and ${identifier(alias)}.created_by_admin)',
    '.instance_id is null)',
    rows('message without an instance'),
  ),
  without(
    'a template is changed by its author only',
    access,
    ' and ${identifier(alias)}.created_by_user_id = ${caller.id})',
    ')',
    rows('shared template'),
  ),
  ...[
    [
      'the list of instances',
      'instances/instances',
      "from instances i where ${canSeeInstance(caller, 'i.id')} and ${matchesSearch}",
      'from instances i where ${matchesSearch}',
      LISTS,
    ],
    [
      'one instance',
      'instances/instances',
      "i.token_cipher\n    from instances i where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}",
      'i.token_cipher\n    from instances i where i.id = ${id}',
      'GET /instances/:id answers',
    ],
    [
      'an instance to act on',
      'instances/instances',
      "select ${actingColumns} from instances i where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}",
      'select ${actingColumns} from instances i where i.id = ${id}',
      '/instances/:id/[\\w-]+ answers only',
    ],
    [
      'the list of groups',
      'groups/groups',
      "${canSeeInstance(caller, 'g.instance_id')} and ${isOfThese}",
      '${isOfThese}',
      LISTS,
    ],
    [
      'the export of a group',
      'groups/groups',
      "g.id = ${id} and ${canSeeInstance(caller, 'g.instance_id')}",
      'g.id = ${id}',
      'participants/export answers',
    ],
    [
      'the list of messages',
      'messages/messages',
      "from messages m where ${canSeeMessage(caller, 'm')} and ${found}",
      'from messages m where ${found}',
      LISTS,
    ],
    [
      'one message',
      'messages/messages',
      "from messages m where m.id = ${id} and ${canSeeMessage(caller, 'm')}",
      'from messages m where m.id = ${id}',
      'GET /messages/:id answers',
    ],
    [
      'the groups of a message',
      'messages/messages',
      "mg.message_id = m.id and ${canSeeInstance(caller, 'g.instance_id')}",
      'mg.message_id = m.id',
      'names only the groups',
    ],
    [
      'the groups chosen for a message',
      'messages/messages',
      "g.id = any(${groupIds}) and ${canSeeInstance(caller, 'g.instance_id')}",
      'g.id = any(${groupIds})',
      NAMES,
    ],
    [
      'groups and message of one instance',
      'messages/messages',
      'and ${instanceId === null ? sql`true` : sql`g.instance_id = ${instanceId}`}',
      '',
      NAMES,
    ],
    [
      'the list of jobs',
      'jobs/jobs',
      'from jobs j where ${canSeeJob(caller)} and ${found}',
      'from jobs j where ${found}',
      LISTS,
    ],
    [
      'the row of a job',
      'jobs/jobs',
      '${jobRow(caller)} from jobs j where j.id = ${id} and ${canSeeJob(caller)}',
      '${jobRow(caller)} from jobs j where j.id = ${id}',
      '/jobs/:id/[\\w-]+ answers only',
    ],
    [
      'the recipient of a job',
      'jobs/job-members',
      'd.id = ${recipientId} and d.job_id = ${jobId}',
      'd.id = ${recipientId}',
      NAMES,
    ],
    [
      'one job',
      'jobs/jobs',
      'j.run\n    from jobs j where j.id = ${id} and ${canSeeJob(caller)}',
      'j.run\n    from jobs j where j.id = ${id}',
      'GET /jobs/:id(/changes)? answers',
    ],
    [
      'a job requested before',
      'jobs/jobs',
      'j.request_id = ${requestId} and ${canSeeJob(caller)}',
      'j.request_id = ${requestId}',
      NAMES,
    ],
    [
      'jobs to delete',
      'jobs/jobs',
      'j.id = any(${ids}) and ${canSeeJob(caller)}',
      'j.id = any(${ids})',
      NAMES,
    ],
    [
      'the message of a job',
      'jobs/jobs',
      "m.id = ${id} and ${canSeeMessage(caller, 'm')} for key share",
      'm.id = ${id} for key share',
      NAMES,
    ],
    [
      'the groups of a job',
      'jobs/jobs',
      'g.id = any(${ids}) and g.instance_id = ${instanceId}\n  order',
      'g.id = any(${ids})\n  order',
      NAMES,
    ],
    [
      'the instance of a preview',
      'jobs/preview',
      "i.id = ${id} and ${canSeeInstance(caller, 'i.id')}",
      'i.id = ${id}',
      NAMES,
    ],
    [
      'the number of people',
      'dashboard/people',
      "g.left_at is null and ${canSeeInstance(caller, 'g.instance_id')}",
      'g.left_at is null',
      LISTS,
    ],
    [
      'the top groups',
      'dashboard/dashboard',
      "group_id is not null and ${canSeeInstance(caller, 'instance_id')}",
      'group_id is not null',
      LISTS,
    ],
  ].map(([name = '', file, from = '', to = '', only = '']) =>
    without(`${name}: permission in the query`, `${features}/${file}.queries.ts`, from, to, rows(only)),
  ),
  without(
    'the numbers of lists and dashboard: only those of what the caller sees',
    `${platform}/counts.ts`,
    "isAdmin(caller) ? ['all'] :",
    "caller ? ['all'] :",
    rows(LISTS),
  ),
  without(
    'the numbers of some instances: only of those that the caller sees',
    `${platform}/counts.ts`,
    'isAdmin(caller) || caller.instanceIds.includes(id)',
    'caller && id',
    { tests: 'server/test/counts.test.ts' },
  ),
  without(
    'the totals of the top groups: permission in the query',
    `${features}/dashboard/dashboard.queries.ts`,
    'return isAdmin(caller)\n    ?',
    'return caller\n    ?',
    { tests: `${features}/dashboard` },
  ),
  ...[
    ['instances in trouble', 'now', "${canSeeInstance(caller, 'i.id')} and ${instance", '${instance'],
    [
      'jobs that stand still',
      'now',
      "${isKnownStuck} and ${canSeeInstance(caller, 'j.instance_id')}",
      '${isKnownStuck}',
    ],
    [
      'failed jobs',
      'now',
      "${endedWithFailures} and ${canSeeInstance(caller, 'j.instance_id')}",
      '${endedWithFailures}',
    ],
    ['running and upcoming jobs', 'now', 'isAdmin(caller)\n    ? sql`jobs`', 'caller\n    ? sql`jobs`'],
    ['days', 'days', 'isAll && isAdmin(caller) ?', 'isAll ?'],
  ].map(([name = '', file, from = '', to = '']) =>
    without(
      `${name} on the dashboard: permission in the query`,
      `${features}/dashboard/${file}.queries.ts`,
      from,
      to,
      { tests: `${features}/dashboard` },
    ),
  ),
  without(
    'days of an instance on the dashboard: permission in the query',
    `${features}/dashboard/days.queries.ts`,
    "id = ${id} and ${canSeeInstance(caller, 'id')}",
    'id = ${id}',
    { tests: 'server/test/access/callers', only: 'dashboard/days' },
  ),
  without(
    'the token of an instance is for Admins',
    `${features}/instances/instances.service.ts`,
    'return isAdmin(caller)\n    ? {',
    'return caller\n    ? {',
    rows('token of an instance'),
  ),
  ...[
    ['Members see no other user', `if (id !== caller.id) throw new Refusal('not_found')`],
    [
      'Members change only their password',
      `if (Object.keys(change).some((field) => field !== 'password')) throw new Refusal('forbidden')`,
    ],
    ['nobody deletes themselves', `if (id === caller.id) throw new Refusal('own_user')`],
    ['an Admin is left', `if (admins.length === 1 && admins[0] === id) throw new Refusal('last_admin')`],
  ].map(([name = '', from = '']) =>
    without(name, `${features}/users/users.service.ts`, from, '', rows('Members change|keeps an Admin')),
  ),
  without(
    'messages to delete: all may be changed',
    `${features}/messages/messages.service.ts`,
    `if (changeable < ids.length) throw new Refusal('forbidden')`,
    '',
    rows('shared template'),
  ),
  without(
    'a Member does not give a message away',
    `${features}/messages/messages.service.ts`,
    `if ((await countAccess(tx, caller, [id])).changeable === 0)`,
    'if (false)',
    { tests: `${features}/messages` },
  ),
]
