import { contract } from '@sendroom/contract'
import type { Receiver, ReceiverForm } from '@sendroom/contract/receivers'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { mayConnectTo } from '../../platform/outgoing-hosts.ts'
import { orNotFound, Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { newSecret } from './post.ts'
import { queueAgain, queueTest } from './queue.queries.ts'
import {
  deleteReceiver,
  findAttempt,
  findReceiver,
  insertReceiver,
  listAttempts,
  listReceivers,
  updateReceiver,
} from './receivers.queries.ts'

type Deps = { db: Pool; secrets: Secrets; config: Pick<Config, 'outgoingHosts'> }

export function receiverRoutes(app: FastifyInstance, { db, secrets, config }: Deps): void {
  const { receivers } = contract
  const requireHost = ({ url }: ReceiverForm) => {
    if (!mayConnectTo(new URL(url).hostname, config)) throw new Refusal('host_not_allowed')
  }
  route(app, receivers.list, async () => ({ receivers: await listReceivers(db, secrets) }))
  route(app, receivers.get, async ({ params: { id } }) => {
    const receiver = await requireReceiver(db, secrets, id)
    return { receiver, attempts: [...(await listAttempts(db, id))] }
  })
  route(app, receivers.create, ({ begin, body }) =>
    begin(async (tx, caller) => {
      requireHost(body)
      const secret = newSecret()
      const id = await insertReceiver(tx, secrets, body, secret)
      if (id === null) throw new Refusal('too_many_receivers')
      const receiver = await requireReceiver(tx, secrets, id)
      await record(tx, caller, entryOf('receiver.create', receiver, settingsOf(receiver)))
      return { receiver, secret }
    }),
  )
  route(app, receivers.update, ({ begin, params: { id }, body }) =>
    begin(async (tx, caller) => {
      const before = await requireReceiver(tx, secrets, id)
      if (body.url !== before.url) requireHost(body)
      await updateReceiver(tx, secrets, id, body)
      const after = await requireReceiver(tx, secrets, id)
      const changes = changesOf(settingsOf(before), settingsOf(after), settingNames)
      if (before.url !== after.url || Object.keys(changes).length > 0)
        await record(tx, caller, entryOf('receiver.update', after, { changes }))
      return after
    }),
  )
  route(app, receivers.remove, ({ begin, params: { id } }) =>
    begin(async (tx, caller) => {
      const receiver = await requireReceiver(tx, secrets, id)
      await deleteReceiver(tx, id)
      await record(tx, caller, entryOf('receiver.delete', receiver, settingsOf(receiver)))
    }),
  )
  route(app, receivers.test, ({ begin, params: { id } }) =>
    begin(async (tx, caller) => {
      const receiver = await requireReceiver(tx, secrets, id)
      if ((await queueTest(tx, id)) === 'full') throw new Refusal('receiver_full')
      await record(tx, caller, entryOf('receiver.send', receiver, { event: 'test' }))
    }),
  )
  route(app, receivers.sendAgain, ({ begin, params: { id, attemptId } }) =>
    begin(async (tx, caller) => {
      const receiver = await requireReceiver(tx, secrets, id)
      const attempt = orNotFound(await findAttempt(tx, id, attemptId))
      if ((await queueAgain(tx, attempt)) === 'full') throw new Refusal('receiver_full')
      await record(tx, caller, entryOf('receiver.send', receiver, { event: attempt.type }))
    }),
  )
}

const requireReceiver = async (db: Db, secrets: Secrets, id: number) =>
  orNotFound(await findReceiver(db, secrets, id))

const settingNames = ['name', 'server', 'topics', 'isActive', 'allowsOwnNetwork'] as const

/** As the audit log shows them. The rest of the URL may hold a token. */
const settingsOf = ({ name, url, topics, isActive, allowsOwnNetwork }: Receiver) => ({
  name,
  server: URL.parse(url)?.origin,
  topics,
  isActive,
  allowsOwnNetwork,
})

const entryOf = (action: Entry['action'], { id, name }: Receiver, details: object): Entry => ({
  action,
  object: { type: 'receiver', id, name },
  details: { ...details },
})
