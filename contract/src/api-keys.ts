import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { keyRights } from './rights.ts'
import { Instant, idList, idParams, key, Named } from './values.ts'

const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], key('API_KEY_FORM.ADDRESSES_INVALID'))

const form = z.object({
  name: z
    .string(key('API_KEY_FORM.NAME_INVALID'))
    .trim()
    .min(1, key('API_KEY_FORM.NAME_INVALID'))
    .max(limits.apiKeyName, key('API_KEY_FORM.NAME_INVALID')),
  rights: z
    .array(z.enum(keyRights))
    .max(keyRights.length)
    .describe(
      'The rights of the key, as far as its owner has them, too. Without any it reads accounts, groups, messages and jobs.',
    ),
  instanceIds: idList(limits.apiKeyInstances)
    .refine((ids) => ids.length > 0, key('MESSAGE.INSTANCE_INVALID'))
    .nullable()
    .describe('The accounts of the key, as far as its owner sees them. Null means all, also later ones.'),
  addresses: z
    .array(address)
    .max(limits.apiKeyAddresses, key('API_KEY_FORM.ADDRESSES_TOO_MANY'))
    .describe(
      'The only addresses that may use the key: IPv4 or IPv6, or ranges such as 203.0.113.0/24. None allows all.',
    ),
})

export const ApiKeyChange = form
export type ApiKeyChange = z.output<typeof ApiKeyChange>

export const NewApiKey = form.extend({
  days: z
    .number(key('API_KEY_FORM.DAYS_INVALID'))
    .int(key('API_KEY_FORM.DAYS_INVALID'))
    .min(1, key('API_KEY_FORM.DAYS_INVALID'))
    .max(limits.apiKeyDays, key('API_KEY_FORM.DAYS_INVALID'))
    .default(365)
    .describe('After so many days the key expires.'),
})
export type NewApiKey = z.output<typeof NewApiKey>

/** A key with which a program acts for its owner. The key itself is not stored. */
export const ApiKey = z
  .object({
    id: z.number(),
    name: z.string(),
    /** How the key begins, so that people can tell which one a program has. */
    start: z.string(),
    owner: Named,
    rights: z.array(z.enum(keyRights)),
    /** Null: all accounts of the owner. */
    instances: z.array(Named).nullable(),
    addresses: z.array(z.string()),
    createdAt: Instant,
    expiresAt: Instant,
    hasExpired: z.boolean(),
    /** At most a minute old. */
    lastUsedAt: Instant.nullable(),
    lastUsedAddress: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.output<typeof ApiKey>

export const ApiKeyListQuery = listQuery(['id', 'name', 'owner', 'expiresAt', 'lastUsedAt'], {
  sortBy: 'id',
  sortDirection: 'desc',
})
export type ApiKeyListQuery = z.output<typeof ApiKeyListQuery>

/** Keys are managed by people: no endpoint here is open to keys. */
export const apiKeys = {
  list: endpoint({
    method: 'GET',
    path: '/api-keys',
    access: 'signedIn',
    summary: 'Your API keys; those of all users for Admins',
    query: ApiKeyListQuery,
    response: page(ApiKey),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api-keys/:id',
    access: 'signedIn',
    summary: 'One API key of yours; of any user for Admins',
    params: idParams,
    response: ApiKey,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api-keys',
    access: 'signedIn',
    needsConfirmation: true,
    summary: 'Make an API key of your own. The answer has the key itself, which is never shown again',
    body: NewApiKey,
    response: z.object({ apiKey: ApiKey, secret: z.string() }),
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api-keys/:id',
    access: 'signedIn',
    needsConfirmation: true,
    summary: 'Change an API key of yours. It expires when it did before',
    params: idParams,
    body: ApiKeyChange,
    response: ApiKey,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api-keys/:id',
    access: 'signedIn',
    summary: 'Revoke an API key of yours; of any user for Admins. Programs can’t use it any more',
    params: idParams,
  }),
}
