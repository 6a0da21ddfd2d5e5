import { contract } from '@sendroom/contract'
import { expect, test, vi } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { sql } from '../../platform/database/sql.ts'
import { secretsOf } from '../../platform/secrets.ts'
import type { WebhookRow } from './webhook.queries.ts'
import { findCalledInstance, keyOf, secretOf, setDueWebhooks } from './webhook.ts'

const setWebhook = vi.fn().mockResolvedValue(undefined)
const removeWebhook = vi.fn().mockResolvedValue(undefined)
// The calls of the provider that this file causes.
const provider = { setWebhook, removeWebhook } as never
const providers = { live: provider, test: provider, forbidsTestMode: false, close: async () => {} }
const context = useContext({ providers: () => providers })

const former = context.secrets
const current = secretsOf(
  'the key that replaces the one of the tests',
  'the secret key of the tests, long enough',
)

const encryptAnew = (id: number, token: string) =>
  context.db.run(sql`
    update instances set token_cipher = ${current.encrypt(token)}, token_hash = ${current.hash(token)} where id = ${id}`)

// R-2055
test('the provider calls with the values of either key, whichever the token is encrypted with', async () => {
  const { id, token } = await context.add.instance()
  const row = () => context.db.one<WebhookRow>(sql`select id, token_cipher from instances where id = ${id}`)
  const call = (key: string, secret: string) =>
    findCalledInstance({ db: context.db, secrets: current }, key, secret)
  const before = [keyOf(former, id), secretOf(former, await row())] as const
  for (const anew of [() => {}, () => encryptAnew(id, token)]) {
    await anew()
    expect(await call(...before)).toMatchObject({ id })
    expect(await call(keyOf(current, id), secretOf(current, await row()))).toMatchObject({ id })
    expect(await call(keyOf(current, id), before[1])).toBeNull()
  }
})

// R-2055
test('the provider gets the values of the new key, and loses those of the former one', async () => {
  const { id } = await context.add.instance()
  const deps = { db: context.db, secrets: current, providers, webhookBase: () => 'https://send.example' }
  await setDueWebhooks(deps, new AbortController().signal)
  expect(setWebhook).toHaveBeenCalledWith(
    expect.anything(),
    expect.objectContaining({ key: keyOf(current, id) }),
  )
  expect(removeWebhook).toHaveBeenCalledWith(expect.anything(), keyOf(former, id))
})

// R-2058
test('a token of an account is refused for another one, whichever key it is encrypted with', async () => {
  Object.assign(context, { secrets: current })
  const admin = await context.add.admin()
  const token = 'test_linked_stored_before'
  await context.add.instance({ token, tokenCipher: former.encrypt(token), tokenHash: former.hash(token) })
  const body = { name: 'Again', whapiToken: token }
  const refused = await context.call(admin, contract.instances.create, { body })
  expect(refused).toMatchObject({ status: 409, body: { code: 'token_taken' } })
})
