import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { openPost } from './post.ts'
import {
  claimReceiver,
  type DueReceiver,
  distributeEvents,
  findDueEvents,
  hasWork,
  settleBatch,
} from './queue.queries.ts'
import { encryptAddresses } from './receivers.queries.ts'

type Log = { warn: (details: object, sentence: string) => void }

/** `stopMs` replaces the longest time that a stop waits for answers, for tests. */
type Deps = {
  db: Pool
  secrets: Secrets
  config: Pick<Config, 'outgoingHosts'>
  log: Log
  stopMs?: number
}

/** An attempt takes 10 s at most, and saving it a moment. What is not saved by then is sent again. */
const STOP_MS = 15_000

/** Sends events to the receivers. `stop` waits 15 s at most for the answers. */
export function openSender({ db, secrets, config, log, stopMs = STOP_MS }: Deps) {
  const { post, close } = openPost(secrets, config)
  const running = new Set<Promise<void>>()
  let isStopping = false
  let areEncrypted = false

  /** Recurring work: distributes what has happened, and begins to send it. */
  async function sendDue() {
    // A stop waits for this too, since it may be about to send.
    const { promise: done, resolve } = Promise.withResolvers<void>()
    running.add(done)
    try {
      if (!areEncrypted) await encryptAddresses(db, secrets)
      areEncrypted = true
      if (!(await hasWork(db))) return
      await distributeEvents(db)
      await serve()
    } finally {
      running.delete(done)
      resolve()
    }
  }

  /** Claims all receivers that have due events. Each is served on its own, so a slow one delays no other. */
  async function serve(): Promise<void> {
    while (!isStopping) {
      const receiver = await claimReceiver(db)
      if (!receiver) return
      const batch = sendBatch(receiver)
        .then(serve)
        .catch((error) => {
          // Nothing is lost: the claim runs out, and the events are sent again.
          if (!isDatabaseDown(error))
            log.warn({ err: error, receiverId: receiver.id }, 'Could not save attempts')
        })
        .finally(() => running.delete(batch))
      running.add(batch)
    }
  }

  async function sendBatch(receiver: DueReceiver) {
    const events = await findDueEvents(db, receiver)
    const attempted = await Promise.all(
      events.map(async (event) => ({ event, outcome: await post(receiver, event) })),
    )
    await settleBatch(db, receiver.id, attempted)
  }

  /** Resolves when nothing is on its way. */
  async function settled() {
    while (running.size > 0) await Promise.all(running)
  }

  async function stop() {
    isStopping = true
    const patience = new AbortController()
    await Promise.race([settled(), delay(stopMs, undefined, patience).catch(() => {})])
    patience.abort()
    close()
  }
  return { sendDue, serve, settled, stop }
}
