// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { accessRules } from './access-rules.ts'
import { keyGuards } from './api-keys.ts'
import { approvalGuards } from './approval.ts'
import { contentGuards } from './contents.ts'
import { factorGuards } from './factors.ts'
import { features, type Guard, platform, without } from './guard.ts'
import { importGuards } from './import-guards.ts'
import { optOutGuards } from './opt-outs.ts'
import { ownership } from './ownership.ts'
import { sessionGuards } from './sessions.ts'

const access = `${platform}/access.ts`
const http = `${platform}/http.ts`

const duringBody = { tests: 'server/test/access/revocations', only: 'while the body arrives' }
const beforeTransaction = {
  tests: 'server/test/access/revocations',
  only: 'just before the transaction|too old while a call waits',
}

const revocations = [
  without(
    'the caller is checked again after the body',
    http,
    'request.caller = await recheckAs(app.db, request.caller, rule)()',
    '{}',
    duringBody,
  ),
  without(
    'the caller is checked again after each part of a download',
    `${platform}/export/tables.ts`,
    'await check()',
    '',
    { tests: 'server/test/access/exports' },
  ),
  without(
    'the caller is checked again in the transaction',
    http,
    'await lockCaller(tx, caller, rule)',
    'caller',
    beforeTransaction,
  ),
  without(
    'the transaction locks the user',
    access,
    'await tx.run(sql`select from users where id = ${id} for share`)',
    '',
    beforeTransaction,
  ),
  without(
    'the transaction locks the session',
    access,
    'else await tx.run(sql`select from sessions where id = ${sessionId} for key share`)',
    '',
    beforeTransaction,
  ),
  without(
    'the transaction reads the caller again',
    access,
    'return recheckCaller(tx, caller, rule)',
    'return caller',
    beforeTransaction,
  ),
]

const session = `${features}/session/session.service.ts`
const attempts = { tests: `${features}/session` }
const streams = { tests: `${features}/events` }

const ownNetwork = { tests: `${features}/receivers`, only: 'without permission' }

const inQuotas = (only: string) => ({ tests: 'server/test/quotas', only })

const outside = [
  without(
    'the password fits',
    session,
    `if (!fits || userId === null || passwordHash === null)`,
    'if (userId === null || passwordHash === null)',
    { only: 'nobody signs in' },
  ),
  without(
    'a locked user can’t sign in',
    session,
    `if (!isActive) throw new Refusal(isWaiting ? 'waiting_for_activation' : 'login_failed')`,
    '',
    attempts,
  ),
  without(
    'a confirmation needs the password',
    session,
    `if (!fits) await refuse({ password: 'LOGIN.PASSWORD_WRONG' })`,
    '',
    { only: 'needs a password' },
  ),
  without(
    'forgery: the header repeats the cookie',
    `${platform}/forgery.ts`,
    `if (expected && request.headers['x-xsrf-token'] !== expected) throw new Refusal('forgery')`,
    '',
    { only: 'refuses another site' },
  ),
  without(
    'the webhook’s key',
    `${features}/instances/webhook.ts`,
    '.find((one) => isSame(secrets, key, keyOf(one, id)))',
    '.at(0)',
    { only: 'the webhook refuses' },
  ),
  without(
    'the webhook’s secret',
    `${features}/instances/webhook.ts`,
    'row && isSame(secrets, secret, secretOf({ ...used, decrypt: secrets.decrypt }, row)) ? row : null',
    'row ?? null',
    { only: 'the webhook refuses' },
  ),
  without(
    'the secret of a remembered webhook',
    `${features}/instances/webhook.ts`,
    ' && isEqual(entry.secret, Buffer.from(secret))',
    '',
    { only: 'the webhook refuses' },
  ),
  without(
    'sign-ins wait after wrong passwords',
    `${features}/session/attempts.ts`,
    'if (await countAttempt(tx, allowance)) continue',
    'if ((await countAttempt(tx, allowance)) || true) continue',
    attempts,
  ),
  without(
    'registrations are limited',
    `${features}/session/session.routes.ts`,
    '{ rateLimit: { max: 5, timeWindow: 60 * MINUTE } }',
    '{}',
    { only: 'auth/register' },
  ),
  without(
    'requests of a user are limited',
    http,
    'if (!count.isAllowed && count.isExceeded) throw',
    'if (false) throw',
    { tests: 'server/test/request-limits.test.ts' },
  ),
  without('heavy calls are limited', http, '...(options.rateLimit && {', '...(false && {', {
    tests: 'server/test/request-limits.test.ts',
  }),
  without(
    'an event is for those who see the instance',
    `${features}/events/hub.ts`,
    ': visibleInstanceIds.has(change.instanceId))',
    ': true)',
    streams,
  ),
  without(
    'a stream ends with the rights',
    `${features}/events/hub.ts`,
    `if (notification.feature === 'access') end(({ userId }) => userId === notification.id)`,
    `if (notification.feature === 'access') return`,
    streams,
  ),
  without(
    'a stream ends with the session',
    `${features}/events/hub.ts`,
    'if (!valid.has(session)) stream.end()',
    '{}',
    streams,
  ),
  without(
    'a webhook to a name in the own network',
    `${features}/receivers/own-network.ts`,
    'found.filter(({ address }) => isPublic(address))',
    'found',
    ownNetwork,
  ),
  without(
    'a webhook to an address of the own network',
    `${features}/receivers/post.ts`,
    'if (!receiver.allowsOwnNetwork) requirePublic(url)',
    '',
    ownNetwork,
  ),
  without(
    'a connection that was permitted to another receiver',
    `${features}/receivers/post.ts`,
    "agents[receiver.allowsOwnNetwork ? 'free' : 'guarded']",
    'agents.free',
    ownNetwork,
  ),
  without(
    'the password, to replace a token',
    `${features}/instances/instances.service.ts`,
    'if (hasNewToken) requireConfirmation(caller)',
    '',
    { tests: `${features}/instances/instances.routes`, only: 'replacing the token' },
  ),
  without(
    'the limit of syncs',
    `${features}/instances/link.ts`,
    'await begin((tx, caller) => countManualSync(tx, caller, id))',
    '',
    inQuotas('the syncs'),
  ),
  without(
    'the limit of images',
    `${platform}/quotas.ts`,
    'if (taken + bytes > limit * 1_000_000)',
    'if (limit < 0)',
    inQuotas('the images'),
  ),
  without(
    'the limit of searches at once',
    `${platform}/turns.ts`,
    'limits.ofUser = await readQuota()',
    'limits.ofUser = 1000',
    inQuotas('of the searches'),
  ),
]

const endpoints = Object.values(contract).flatMap((feature) => Object.values<Endpoint>(feature))
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

const withRight = endpoints.filter(({ access }) => access !== 'public' && access !== 'signedIn')
const confirmed = endpoints.filter(({ needsConfirmation }) => needsConfirmation)

const CONTRACT_RULE =
  'const { access, needsConfirmation = false, allowsApiKeys = false, isBeforeFactor = false } = endpoint'

/** The contract's rules for single endpoints. Removed at once, because each endpoint has tests of its own. */
const contractRules = [
  without(
    'the right or role that the contract names',
    http,
    CONTRACT_RULE,
    `const { needsConfirmation = false, allowsApiKeys = false, isBeforeFactor = false } = endpoint
     const access = endpoint.access === 'public' ? 'public' : 'signedIn'`,
    { tests: 'server/test/access/callers', only: 'answers only', each: withRight.map(nameOf) },
  ),
  without(
    'the confirmation that the contract asks for',
    http,
    CONTRACT_RULE,
    'const { access, allowsApiKeys = false, isBeforeFactor = false } = endpoint\n  const needsConfirmation = false',
    { tests: 'server/test/access/revocations', only: 'needs a password', each: confirmed.map(nameOf) },
  ),
]

export const guards: Guard[] = [
  ...accessRules,
  ...revocations,
  ...ownership,
  ...importGuards,
  ...optOutGuards,
  ...contentGuards,
  ...approvalGuards,
  ...keyGuards,
  ...sessionGuards,
  ...factorGuards,
  ...outside,
  ...contractRules,
]
