// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const access = `${platform}/access.ts`

/** The tests of who may call which endpoint. */
const inMatrix = { tests: 'server/test/access/callers', only: 'answers only|refuses a session' }

/** Guards of who may call which endpoint. */
export const accessRules = [
  without(
    'a session is needed',
    access,
    `if (!caller) throw new Refusal('unauthenticated')`,
    'if (!caller) return null as never',
    inMatrix,
  ),
  without(
    'the session has not expired',
    access,
    `\${identifier(session)}.expires_at > clock_now() and `,
    '',
    inMatrix,
  ),
  without('the user is not locked', access, ` and \${identifier(user)}.is_active)`, ')', inMatrix),
  without('rights and roles are checked', access, `requireRight(caller, rule.access)`, '', inMatrix),
  ...(
    [
      ['canWriteMessages', 'isAdmin(caller)'],
      ['canCreateJobs', 'isAdmin(caller)'],
      ['canLinkAccounts', 'isAdmin(caller)'],
      ['canExportParticipants', 'isAdmin(caller)'],
      ['canUseContacts', 'managesContacts(caller)'],
      ['canApproveJobs', 'isAdmin(caller)'],
    ] as const
  ).map(([right, more]) =>
    without(
      `the right ${right}`,
      access,
      `${right}: (caller) => caller.${right} || ${more}`,
      `${right}: () => true`,
      { only: 'needs exactly' },
    ),
  ),
  without(
    'the right canMentionAll',
    access,
    'canMentionAll: (caller) => caller.canMentionAll || isAdmin(caller)',
    'canMentionAll: () => true',
    { tests: 'server/src/features/jobs/mentions' },
  ),
  without(
    'the right canManageContacts',
    access,
    'canManageContacts: (caller) => managesContacts(caller)',
    'canManageContacts: () => true',
    { only: 'needs exactly' },
  ),
  without(
    'a test message needs both rights',
    access,
    'caller.canWriteMessages && caller.canCreateJobs',
    'caller.canWriteMessages || caller.canCreateJobs',
    { only: 'needs exactly' },
  ),
  without(
    'a message that is written with a job needs the right to write messages',
    `${features}/jobs/new-job.service.ts`,
    `if (message) requireRight(caller, 'canWriteMessages')`,
    '',
    { tests: `${features}/jobs/written-message` },
  ),
  without('the role of Admins', access, 'admin: (caller) => isAdmin(caller)', 'admin: () => true', inMatrix),
  without(
    'the password was entered lately',
    access,
    `if (!isConfirmed) throw new Refusal('confirm_password')`,
    '',
    { only: 'needs a password' },
  ),
]
