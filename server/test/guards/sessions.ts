// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const sessions = `${features}/session/sessions.queries.ts`
const access = `${platform}/access.ts`
const inSessions = (only: string) => ({ tests: `${features}/session/sessions.routes`, only })

/** Guards of sessions and their tokens. */
export const sessionGuards = [
  without(
    'users see and end no other user’s sessions',
    `${features}/session/sessions.routes.ts`,
    `if (!isAdmin(caller) && caller.id !== userId) throw new Refusal('not_found')`,
    '',
    { tests: 'server/test/access/callers', only: 'answers only' },
  ),
  without(
    'a session is ended under its user’s id',
    sessions,
    'user_id = ${userId} and id = ${id}',
    'id = ${id}',
    inSessions('under the name of another'),
  ),
  without(
    'all other sessions are those of the user',
    `${platform}/sessions.ts`,
    'user_id = ${userId} and id is distinct from ${except}',
    'id is distinct from ${except}',
    inSessions('of another user is for Admins'),
  ),
  without(
    'a former token ends',
    access,
    ' and ${s}.former_until > clock_now()',
    '',
    inSessions('gives the session a new token'),
  ),
  without(
    'a former token is not confirmed',
    access,
    's.token_hash = ${fromRequest.tokenHash} and\n',
    '',
    inSessions('counts for the new token only'),
  ),
  without(
    'a token is replaced once',
    `${features}/session/session.queries.ts`,
    'and (token_hash = ${tokenHash} or (former_hash',
    'and (true or (former_hash',
    inSessions('of several at the same moment'),
  ),
  without(
    'only a page that is touched keeps the session alive',
    `${platform}/http.ts`,
    ' || IDLE in request.headers',
    '',
    inSessions('is not kept alive'),
  ),
  without(
    'the writes of a user let an end of the session come in between',
    access,
    'await lockShared(tx, LOCKS.writesOf(id))',
    '',
    { tests: 'server/test/endless-writes' },
  ),
  without(
    'nobody holds up the writes of others',
    `${features}/session/sessions.routes.ts`,
    'else if (isAdmin(caller)) await',
    'else await',
    { tests: 'server/test/endless-writes', only: 'nobody holds up' },
  ),
  without(
    'what ends a stolen session is counted by session',
    `${platform}/http.ts`,
    'request.routeOptions.config.isDefence ?',
    'request.routeOptions.config.isDefence === null ?',
    { tests: 'server/test/request-limits', only: 'uses up none' },
  ),
  without(
    'what ends a stolen session has turns of its own',
    `${platform}/http.ts`,
    'isDefence ? `defence of ${caller.id}` : turnOf(caller)',
    'turnOf(caller)',
    { tests: 'server/test/request-limits', only: 'slow calls of a stolen session' },
  ),
  without(
    'a confirmation is counted by session',
    `${features}/session/session.service.ts`,
    ' ?? `session ${sessionId}`',
    '',
    { tests: `${features}/session/session.routes`, only: 'counts by session' },
  ),
  without(
    'a known browser has right passwords of its own',
    `${features}/session/attempts.ts`,
    'device === null ? known.name : `${known.id} ${device}`',
    'known.name',
    { tests: 'server/test/sign-in-attacks', only: 'but no code' },
  ),
  without(
    'only a program is known by name and address',
    `${features}/session/open-session.ts`,
    'isProgram(browser) && ',
    '',
    { tests: 'server/test/new-browser', only: 'as in an office' },
  ),
  without(
    'a sign-in from a new browser, or a change, is told to its user only',
    `${features}/notices/notices.queries.ts`,
    'a.id = t.host::bigint and coalesce(a.object_id, a.user_id) = u.id',
    'a.id = t.host::bigint',
    { tests: 'server/test/new-browser' },
  ),
]
