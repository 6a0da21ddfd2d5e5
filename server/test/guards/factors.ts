// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const session = `${features}/session`
const inRaces = (only: string) => ({ tests: `${session}/factor-races.routes`, only })
const inFactors = (only: string) => ({ tests: `${session}/factor.routes`, only })

/** Guards of the second factor. */
export const factorGuards = [
  without(
    'the password alone opens no session of a user with a second factor',
    `${session}/session.service.ts`,
    `if (known.hasFactor) throw new Refusal('factor_required', { ticket: await giveTicket(db, certain) })`,
    '',
    inFactors('answers a ticket to the password'),
  ),
  without(
    'a ticket opens a session with a code only',
    `${session}/session.service.ts`,
    'if (!(await useCode(tx, secrets, id, code))) throw new WrongCode()',
    '',
    inFactors('takes a code once'),
  ),
  without(
    'a ticket works once',
    `${session}/session.service.ts`,
    `if (!(await useTicket(tx, id, ticketHash))) throw new Refusal('ticket_invalid')`,
    '',
    inFactors('takes a ticket once'),
  ),
  without(
    'a ticket ends after five minutes',
    `${session}/ticket.queries.ts`,
    'sql`expires_at > clock_now()`',
    'sql`true`',
    inFactors('takes a ticket for five minutes'),
  ),
  without(
    'a code works once',
    `${session}/factor.queries.ts`,
    'where user_id = ${userId} and last_step < ${step}',
    'where user_id = ${userId}',
    inFactors('takes a code once'),
  ),
  without(
    'a recovery code is that of its user',
    `${session}/factor.queries.ts`,
    'user_id = ${userId} and code_hash = ${codeHash}',
    'code_hash = ${codeHash} or true',
    inFactors('recovery codes once'),
  ),
  without(
    'a password entered once more needs a code',
    `${session}/session.service.ts`,
    `if (code === undefined) throw new InvalidInput({ code: 'LOGIN.CODE_REQUIRED' })`,
    'if (code === undefined) return { token: null }',
    inFactors('needs a code as well'),
  ),
  without(
    'a required factor comes before anything else',
    `${platform}/access.ts`,
    `if (caller.needsFactor && !rule.isBeforeFactor) throw new Refusal('factor_setup_required')`,
    '',
    inFactors('lets the user do nothing but'),
  ),
  without(
    'a required factor can’t be removed',
    `${session}/factor.service.ts`,
    `if (isRequired) throw new Refusal('factor_is_required')`,
    '',
    inFactors('lets the user do nothing but'),
  ),
  without(
    'another Admin resets a factor',
    `${session}/factor.service.ts`,
    `if (id === callerId) throw new Refusal('own_factor')`,
    '',
    inFactors('of one’s own is another'),
  ),
  without(
    'a set-up ends what other sessions have confirmed without a code',
    `${session}/factor.service.ts`,
    'await endOtherConfirmations(tx, caller)',
    '',
    inRaces('another session has to enter a code'),
  ),
  without(
    'a sign-in without a code is refused after a set-up meanwhile',
    `${session}/open-session.ts`,
    'if (user?.hasFactor !== known.hasFactor)',
    'if (!user)',
    inRaces('a sign-in that is on its way'),
  ),
  without(
    'a confirmation without a code is refused after a set-up meanwhile',
    `${session}/session.service.ts`,
    'if (!known.hasFactor && (await readState(tx, id)).hasFactor)',
    'if (false)',
    inRaces('a password entered once more'),
  ),
  without(
    'a browser from before the factor has no guesses of codes',
    `${session}/device-cookie.ts`,
    "${hasFactor ? ' with factor' : ''}",
    '',
    { tests: 'server/test/sign-in-attacks', only: 'known before the factor' },
  ),
  without(
    'the browser that sets up a factor has guesses of its own',
    `${session}/factor.service.ts`,
    'await knowBrowser(tx)',
    '',
    { tests: 'server/test/sign-in-attacks', only: 'browser that set up the factor' },
  ),
  without(
    'a stream ends when a factor is due',
    `${features}/events/events.queries.ts`,
    "and not ${needsFactor('u')}",
    '',
    { tests: `${features}/events/events.routes`, only: 'second factor' },
  ),
]
