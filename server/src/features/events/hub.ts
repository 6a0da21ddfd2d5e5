import type { Readable } from 'node:stream'
import { type Caller, visibleInstances } from '../../platform/access.ts'
import { CHANGES, type Notice, type SeenChange } from '../../platform/changes.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Listening } from '../../platform/database/listener.ts'
import { gatherer } from '../../platform/gather.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { findLiveSessions } from './events.queries.ts'

const TELL_EVERY_MS = 300
const BEAT_MS = 20_000
/** The tabs of one browser, and some more. */
const STREAMS_A_SESSION = 12
const FULL_RETRY_SECONDS = 30

/** `session`: its token's hash in hex. `sees`: the ids of the instances its caller sees; null for all. */
type Follower = { userId: number; session: string; sees: ReadonlySet<number> | null; stream: EventStream }

type Parts = {
  db: Pool
  log: { warn: (details: object, sentence: string) => void }
  /** How often a silent stream says that it lives, and sessions that ran out are looked for. */
  beatMs?: number
}

export type Hub = {
  /** What changes from now on, as far as the caller sees it. Ends when what they see changes, or their session ends. */
  follow: (caller: Caller) => Promise<Readable>
  stop: () => Promise<void>
}

/** Hears what changed in any process, and tells it to the open streams of this one. */
export function openHub({ db, log, beatMs = BEAT_MS }: Parts): Hub {
  const followers = new Set<Follower>()
  const changes = gatherer<SeenChange>(TELL_EVERY_MS, (told) => {
    for (const follower of followers) tell(follower, told)
  })

  function hear(payload: string) {
    // Ours: by tellChanges, or by a trigger.
    for (const notice of JSON.parse(payload) as Notice[]) {
      if (notice.feature === 'access') end(({ userId }) => userId === notice.id)
      else if (followers.size > 0) changes.add(keyOf(notice), notice)
    }
  }

  function end(whom: (follower: Follower) => boolean) {
    for (const follower of followers) if (whom(follower)) follower.stream.end()
  }

  let isListening = false
  let listening: Listening | undefined
  /** From the first stream on. */
  async function listen() {
    listening ??= db.listen(CHANGES, hear, () => {
      // What was told meanwhile is lost: everybody connects anew, and reads everything once.
      if (isListening) end(() => true)
      isListening = true
    })
    await listening.ready()
  }

  async function beat() {
    const present = [...followers]
    if (present.length === 0) return
    for (const { stream } of present) stream.beat()
    const live = await findLiveSessions(
      db,
      present.map(({ session }) => session),
    )
    for (const { session, stream } of present) if (!live.has(session)) stream.end()
  }
  const beating = setInterval(() => {
    beat().catch((error) => log.warn({ err: error }, 'Open streams could not be checked'))
  }, beatMs)

  return {
    async follow(caller) {
      const session = caller.tokenHash.toString('hex')
      const own = [...followers].filter((other) => other.session === session)
      if (own.length >= STREAMS_A_SESSION) throw new Refusal('too_many_requests', {}, FULL_RETRY_SECONDS)
      const stream = openEventStream(() => followers.delete(follower))
      const follower: Follower = { userId: caller.id, session, sees: new Set(), stream }
      // Before we ask what it sees: should that change meanwhile, it ends.
      followers.add(follower)
      try {
        await listen()
        follower.sees = await visibleInstances(db, caller)
      } catch (error) {
        stream.source.destroy()
        throw error
      }
      stream.begin()
      return stream.source
    },
    async stop() {
      clearInterval(beating)
      end(() => true)
      await changes.stop()
      await listening?.close()
    },
  }
}

const keyOf = (change: SeenChange) =>
  `${change.feature} ${change.id} ${change.instanceId ?? `of ${change.userId}`}`

function tell({ sees, userId, stream }: Follower, told: SeenChange[]) {
  const isSeen = (change: SeenChange) =>
    !sees || (change.instanceId === null ? change.userId === userId : sees.has(change.instanceId))
  const seen = told.filter(isSeen)
  if (seen.length > 0) stream.tell(seen)
}
