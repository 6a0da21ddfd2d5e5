import type { Readable } from 'node:stream'
import { type Caller, visibleInstances } from '../../platform/access.ts'
import { batcher } from '../../platform/batcher.ts'
import { CHANGES, type Notification, type VisibleChange } from '../../platform/changes.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import type { Listening } from '../../platform/database/listener.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { findValidSessions, recordStreams } from './events.queries.ts'

const NOTIFY_EVERY_MS = 300
const HEARTBEAT_MS = 20_000
/** More than the tabs that a user keeps open on all devices. */
const STREAMS_PER_USER = 20
const FULL_RETRY_SECONDS = 30
const RECONNECT_SECONDS = 2

type Follower = {
  userId: number
  /** The hash of the session's token, in hex. */
  session: string
  /** The instances that the user sees. Null means all. */
  visibleInstanceIds: ReadonlySet<number> | null
  stream: EventStream
}

type Deps = {
  db: Pool
  log: { warn: (details: object, sentence: string) => void }
  /** How often a silent stream sends a heartbeat, and how often expired sessions are searched. */
  heartbeatMs?: number
}

export type Hub = {
  /**
   * Opens a stream of the changes that the caller may see. The stream ends when the caller's rights change or when the
   * session ends. Throws a refusal if the user has too many streams.
   */
  follow: (caller: Caller) => Promise<Readable>
  stop: () => Promise<void>
}

/** Listens to the changes of all processes and sends them to the open streams of this process. */
export function openHub({ db, log, heartbeatMs = HEARTBEAT_MS }: Deps): Hub {
  const followers = new Set<Follower>()
  const changes = batcher<VisibleChange>(NOTIFY_EVERY_MS, (changed) => {
    for (const follower of followers) notify(follower, changed)
  })

  function receive(payload: string) {
    // The cast is safe: only notifyChanges() and our triggers use this channel.
    for (const notification of JSON.parse(payload) as Notification[]) {
      if (notification.feature === 'access') end(({ userId }) => userId === notification.id)
      else if (followers.size > 0) changes.add(keyOf(notification), notification)
    }
  }

  function end(whom: (follower: Follower) => boolean) {
    for (const follower of followers) if (whom(follower)) follower.stream.end()
  }

  /** A session with more streams gives one up. Otherwise whoever has stolen a session could have all of them. */
  function makeRoom(userId: number, session: string) {
    const own = [...followers].filter((follower) => follower.userId === userId)
    if (own.length < STREAMS_PER_USER) return
    const bySession = Map.groupBy(own, (follower) => follower.session)
    const [most = []] = [...bySession.values()].toSorted((a, b) => b.length - a.length)
    const mine = bySession.get(session)?.length ?? 0
    if (most.length <= mine + 1) throw new Refusal('too_many_requests', {}, FULL_RETRY_SECONDS)
    const [oldest] = most
    if (oldest) followers.delete(oldest)
    oldest?.stream.end()
  }

  let isStopped = false
  let isListening = false
  let listening: Listening | undefined
  /** Listens from the first stream on. */
  async function listen() {
    listening ??= db.listen(CHANGES, receive, () => {
      // Notifications during the interruption are lost. So all clients must reconnect and read everything once.
      if (isListening) end(() => true)
      isListening = true
    })
    await listening.ready()
  }

  /** Sends a heartbeat to all streams, ends those whose session is no longer valid, and records the others. */
  async function heartbeat() {
    const present = [...followers]
    if (present.length === 0) return
    for (const { stream } of present) stream.heartbeat()
    const valid = await findValidSessions(
      db,
      present.map(({ session }) => session),
    )
    for (const { session, stream } of present) if (!valid.has(session)) stream.end()
    await recordStreams(db, [...valid])
  }
  const heartbeats = setInterval(() => {
    heartbeat().catch((error) => {
      // Clients that reconnect learn that the database is unavailable.
      if (isDatabaseDown(error)) end(() => true)
      else log.warn({ err: error }, 'Could not check the sessions of open event streams')
    })
  }, heartbeatMs)

  return {
    async follow(caller) {
      if (isStopped) throw new Refusal('unavailable', {}, RECONNECT_SECONDS)
      const session = caller.tokenHash.toString('hex')
      makeRoom(caller.id, session)
      const stream = openEventStream(() => followers.delete(follower))
      const follower: Follower = { userId: caller.id, session, visibleInstanceIds: new Set(), stream }
      // Added before the rights are read: if they change meanwhile, the stream ends.
      followers.add(follower)
      try {
        await listen()
        follower.visibleInstanceIds = await visibleInstances(db, caller)
      } catch (error) {
        stream.source.destroy()
        throw error
      }
      stream.begin()
      return stream.source
    },
    async stop() {
      isStopped = true
      clearInterval(heartbeats)
      end(() => true)
      await changes.stop()
      await listening?.close()
    },
  }
}

const keyOf = (change: VisibleChange) =>
  `${change.feature} ${change.id} ${change.instanceId ?? (change.isShared ? 'shared' : `of ${change.userId}`)}`

function notify({ visibleInstanceIds, userId, stream }: Follower, changes: VisibleChange[]) {
  const isVisible = (change: VisibleChange) =>
    !visibleInstanceIds ||
    (change.instanceId === null
      ? change.isShared || change.userId === userId
      : visibleInstanceIds.has(change.instanceId))
  const visible = changes.filter(isVisible)
  if (visible.length > 0) stream.send(visible)
}
