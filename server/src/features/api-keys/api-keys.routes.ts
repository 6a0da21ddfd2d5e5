import { contract } from '@sendroom/contract'
import type { ApiKey, ApiKeyChange } from '@sendroom/contract/api-keys'
import { limits } from '@sendroom/contract/limits'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../platform/access.ts'
import { newApiKey } from '../../platform/api-key-text.ts'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { lockUser } from '../../platform/lock-user.ts'
import { InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import {
  countApiKeys,
  deleteApiKey,
  findApiKey,
  findOwnApiKey,
  insertApiKey,
  listApiKeys,
  lockKeyOwner,
  seesInstances,
  updateApiKey,
} from './api-keys.queries.ts'

export function apiKeyRoutes(app: FastifyInstance, db: Pool): void {
  const { apiKeys } = contract
  route(app, apiKeys.list, ({ caller, query }) => listApiKeys(db, caller, query))
  route(app, apiKeys.get, async ({ caller, params: { id } }) => orNotFound(await findApiKey(db, caller, id)))
  route(app, apiKeys.create, ({ begin, caller, body }) =>
    begin(
      async (tx, caller) => {
        await requireInstances(tx, caller, body)
        if ((await countApiKeys(tx, caller)) >= limits.apiKeysPerUser) throw new Refusal('too_many_api_keys')
        const { secret, ...stored } = newApiKey()
        const id = await insertApiKey(tx, caller, { ...body, ...stored })
        const apiKey = orNotFound(await findOwnApiKey(tx, caller, id))
        await record(tx, caller, entryOf('api_key.create', apiKey, factsOf(apiKey)))
        return { apiKey, secret }
      },
      // So that of two new keys at once the second counts the first.
      (tx) => lockUser(tx, caller.id),
    ),
  )
  route(app, apiKeys.update, ({ begin, caller, params: { id }, body }) =>
    begin(
      async (tx, caller) => {
        const before = orNotFound(await findOwnApiKey(tx, caller, id))
        await requireInstances(tx, caller, body)
        await updateApiKey(tx, id, body)
        const after = orNotFound(await findOwnApiKey(tx, caller, id))
        const changes = changesOf(settingsOf(before), settingsOf(after), settingNames)
        if (Object.keys(changes).length > 0)
          await record(tx, caller, entryOf('api_key.update', after, { changes }))
        return after
      },
      (tx) => lockKeyOwner(tx, caller, id),
    ),
  )
  route(app, apiKeys.revoke, ({ begin, caller, params: { id } }) =>
    begin(
      async (tx, caller) => {
        const apiKey = orNotFound(await findApiKey(tx, caller, id))
        await deleteApiKey(tx, id)
        await record(tx, caller, entryOf('api_key.revoke', apiKey, factsOf(apiKey)))
      },
      (tx) => lockKeyOwner(tx, caller, id),
    ),
  )
}

async function requireInstances(tx: Db, caller: Caller, { instanceIds }: ApiKeyChange): Promise<void> {
  if (instanceIds && !(await seesInstances(tx, caller, instanceIds)))
    throw new InvalidInput({ instanceIds: 'MESSAGE.INSTANCE_INVALID' })
}

const settingNames = ['name', 'rights', 'instances', 'addresses'] as const

/** As the audit log shows them. Null instances are all. */
const settingsOf = ({ name, rights, instances, addresses }: ApiKey) => ({
  name,
  rights,
  instances: instances?.map(({ name }) => name) ?? null,
  addresses,
})

const factsOf = (apiKey: ApiKey) => ({
  ...settingsOf(apiKey),
  start: apiKey.start,
  owner: apiKey.owner.name,
  expiresAt: apiKey.expiresAt,
})

const entryOf = (action: Entry['action'], { id, name }: ApiKey, details: object): Entry => ({
  action,
  object: { type: 'api_key', id, name },
  details: { ...details },
})
