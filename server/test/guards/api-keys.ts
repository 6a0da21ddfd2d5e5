// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const access = `${platform}/access.ts`
const routes = { tests: `${features}/api-keys` }
const inMatrix = (only: string) => ({ tests: 'server/test/access/keys', only })
const beforeTransaction = {
  tests: 'server/test/access/key-revocations',
  only: 'just before the transaction',
}

/** Guards of API keys. */
export const keyGuards = [
  without(
    'endpoints are closed to API keys',
    access,
    `if (!allowsApiKeys) throw new Refusal('not_for_keys')`,
    '',
    inMatrix('refuses keys with all rights'),
  ),
  without(
    'an API key is never an Admin',
    access,
    `    role: 'Member',\n    instanceIds: seen`,
    '    instanceIds: seen',
    inMatrix('answers keys no more'),
  ),
  without(
    'an API key needs the right itself',
    access,
    '(key.rights as Right[]).includes(right) && RULES[right](caller)',
    'RULES[right](caller)',
    inMatrix('whose scope has the right'),
  ),
  without(
    'the owner of an API key needs the right',
    access,
    '(key.rights as Right[]).includes(right) && RULES[right](caller)',
    '(key.rights as Right[]).includes(right)',
    inMatrix('answers keys no more'),
  ),
  without(
    'an API key has the accounts that were chosen',
    access,
    'seen.filter((id) => key.instanceIds?.includes(id) ?? true)',
    'seen',
    inMatrix('answers keys no more'),
  ),
  {
    name: 'the owner of an API key sees the accounts',
    changes: [
      { file: access, from: `instances where u.role = 'Admin'`, to: 'instances' },
      { file: access, from: 'isAdmin(owner) ? allInstanceIds : owner.instanceIds', to: 'allInstanceIds' },
    ],
    ...inMatrix('answers keys no more'),
  },
  without(
    'an API key has not expired',
    access,
    'and k.expires_at > clock_now() and u.is_active',
    'and u.is_active',
    inMatrix('refuses keys that are over'),
  ),
  without(
    'an API key is used from its addresses',
    access,
    `if (!apiKey?.isUsableHere) throw new Refusal('key_from_elsewhere', { address })`,
    '',
    inMatrix('at other addresses'),
  ),
  without(
    'an API key has its checksum',
    `${platform}/api-key-text.ts`,
    'return checksum === checksumOf(random)',
    'return checksum !== undefined',
    { tests: `${platform}/api-key-text` },
  ),
  without(
    'the transaction locks the API key',
    access,
    'if (apiKey) await tx.run(sql`select from api_keys where id = ${apiKey.id} for share`)',
    'if (apiKey) await Promise.resolve()',
    beforeTransaction,
  ),
  without(
    'an API key creates a job only with a requestId',
    `${features}/jobs/new-job.service.ts`,
    `if (caller.apiKey && !requestId) throw new InvalidInput({ requestId: 'JOB.REQUEST_ID_REQUIRED' })`,
    '',
    routes,
  ),
  without(
    'users see only API keys of their own',
    `${features}/api-keys/api-keys.queries.ts`,
    '(isAdmin(caller) ? sql`true` : isOwn(caller))',
    'sql`true`',
    routes,
  ),
  without(
    'Admins do not change the API keys of others',
    `${features}/api-keys/api-keys.queries.ts`,
    'find(db, caller, id, isOwn(caller))',
    'find(db, caller, id)',
    routes,
  ),
  without(
    'an API key gets only accounts that its owner sees',
    `${features}/api-keys/api-keys.routes.ts`,
    'if (instanceIds && !(await seesInstances(tx, caller, instanceIds)))',
    'if (false)',
    routes,
  ),
  without(
    'the number of API keys',
    `${features}/api-keys/api-keys.routes.ts`,
    `if ((await countApiKeys(tx, caller)) >= limits.apiKeysPerUser) throw new Refusal('too_many_api_keys')`,
    '',
    routes,
  ),
  without(
    'two new API keys at once count each other',
    `${platform}/lock-user.ts`,
    'sql`select from users where id = ${userId} for no key update`',
    'sql`select`',
    routes,
  ),
  without(
    'the requests of an API key',
    'server/src/app.ts',
    'caller?.apiKey ? limits.apiKeyRequests : 1200',
    '1200',
    routes,
  ),
  without(
    'the API keys of a user share their turns',
    `${platform}/api-keys.ts`,
    "turnOf = ({ id, apiKey }: Pick<Caller, 'id' | 'apiKey'>) => (apiKey ? -id : id)",
    'turnOf = countedAs',
    { tests: `${features}/api-keys/ways-in` },
  ),
  without(
    'commands by an API key keep the owner from none',
    `${platform}/commands.ts`,
    'turnOf(entry.caller) === turnOf(user)',
    'entry.caller.id === user.id',
    { tests: `${features}/api-keys/ways-in` },
  ),
  without(
    'heavy work for an API key keeps the owner from none',
    `${platform}/heavy/heavy-work.ts`,
    'userId: turnOf(caller)',
    'userId: caller.id',
    { tests: `${features}/api-keys/ways-in` },
  ),
  without(
    'calls with an API key from elsewhere are counted',
    `${platform}/refusals.ts`,
    `  key_from_elsewhere: 'key_from_elsewhere',\n`,
    '',
    { tests: `${features}/api-keys/ways-in` },
  ),
]
