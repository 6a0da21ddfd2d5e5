import { setMaxListeners } from 'node:events'
import type { EngineDeps } from './context.ts'
import { checkInstance, claimChecks } from './health/instance-status.ts'
import { checkHistory, claimHistoryChecks } from './history/check.ts'
import { BEAT_EVERY_MS, openHeartbeat } from './history/heartbeat.ts'
import { claimLookUps, type LookUp, lookUp } from './in-doubt/look-up.ts'
import { markInDoubt } from './in-doubt/mark-in-doubt.ts'
import { startDueJobs } from './jobs/lifecycle.ts'
import { hasUnfinished } from './jobs/unfinished.ts'
import { interruptibleSleep, NOTHING_TO_DO, openLoop } from './loop.ts'
import { openBatches } from './sending/batch.ts'
import { type Claim, claimInstances, RENEW_EVERY_MS, renewLeases } from './sending/claim.ts'
import { runInstance, type Sender } from './sending/sender.ts'
import { openProgress } from './status/progress.ts'
import { WAKE_CHANNEL } from './wake.ts'

/** How often a worker looks for work by itself. A notification wakes it at once. */
const POLL_MS = 500
const MAX_INSTANCES = 5_000
const CLAIMS_PER_PASS = 200
const MAX_CALLS = 20
/**
 * How long a stop waits for a database that is down, or an instance that is locked. The look-ups find out about results
 * that were not saved.
 */
const STOP_PATIENCE_MS = 10_000

export type Engine = {
  /**
   * Begins no more sends; those that run finish and are saved, and each instance is then free for other workers. The
   * stop waits for the calls of the provider that run: 20 s for a send, 30 s for an upload, for each page of a chat
   * that is looked up and for the status of a message, 10 s for the status of an instance. It waits for what the loop
   * does in the database, in slices. While the database is down or an instance is locked it gives up on saving after 10
   * s. Its connections end within 5 s.
   */
  stop: () => Promise<void>
  /** Looks for work now. */
  wake: () => void
}

/**
 * The steps of the loop never wait for an instance's lock. What may wait for one, because it concerns a single
 * instance, shares other connections, so that locked instances take none from the rest.
 */
const LOOP_CONNECTIONS = 3
const INSTANCE_CONNECTIONS = 8
const END_MS = 5_000

/**
 * Starts a worker. Nothing is thrown later: a worker reports its errors to the log, and waits for a lost database.
 *
 * In its first seconds a worker watches the heartbeat (history/heartbeat.ts). It sends as soon as it sees another
 * worker's beat. If none comes within 5 s, or the last one is old, it begins a new era, and then reads the chat history
 * of each instance that has something to send. Meanwhile it starts due jobs, looks up doubts and checks instances that
 * wait. Recurring work (recurring-work.ts) runs for the first time after its own interval, or after a minute.
 */
export function startEngine({ db: shared, ...others }: EngineDeps): Engine {
  const { log } = others
  const db = shared.dedicated(LOOP_CONNECTIONS)
  const deps = { ...others, db: shared.dedicated(INSTANCE_CONNECTIONS) }
  const beats = shared.dedicated()
  const tasks = openTasks(reportError)
  const sleep = interruptibleSleep()
  const progress = openProgress(db, reportError)
  const heartbeat = openHeartbeat({ ...others, db: beats })
  let stoppingSince: number | null = null
  const stopping = new AbortController()
  setMaxListeners(MAX_CALLS, stopping.signal)
  const isStopping = () => stoppingSince !== null
  const isGivingUp = () => stoppingSince !== null && performance.now() - stoppingSince > STOP_PATIENCE_MS
  const batches = openBatches(deps.db, isGivingUp)
  const sender: Sender = {
    ...deps,
    submit: batches.submit,
    lastBeatSeen: heartbeat.lastSeen,
    moved: progress.moved,
    isStopping,
    stopping: stopping.signal,
    isGivingUp,
  }

  const instances = new Map<number, Claim>()
  async function claim() {
    const room = Math.min(CLAIMS_PER_PASS, MAX_INSTANCES - instances.size)
    if (room <= 0 || !heartbeat.maySend()) return
    const claims = await claimInstances(db, room)
    for (const claim of claims) {
      instances.set(claim.instanceId, claim)
      tasks.run(runInstance(sender, claim), { instanceId: claim.instanceId }, () => {
        if (instances.get(claim.instanceId) === claim) instances.delete(claim.instanceId)
      })
    }
    if (claims.length === room) sleep.wake()
  }

  const lookedUp = new Set<number>()
  async function lookUpDoubts() {
    const room = MAX_CALLS - lookedUp.size
    if (room <= 0) return
    for (const due of await claimLookUps(db, room, [...lookedUp])) {
      lookedUp.add(due.instanceId)
      tasks.run(lookUp(deps, due, isStopping), idsOf(due), () => {
        lookedUp.delete(due.instanceId)
        progress.moved(due)
        sleep.wake()
      })
    }
  }

  const historyChecks = new Set<number>()
  async function checkHistories() {
    const room = MAX_CALLS - historyChecks.size
    if (room <= 0 || !heartbeat.maySend()) return
    for (const due of await claimHistoryChecks(db, room, [...historyChecks])) {
      const { instanceId } = due
      historyChecks.add(instanceId)
      const checking = checkHistory(deps, due, stopping.signal).then((jobIds) => {
        for (const jobId of jobIds) progress.moved({ jobId, instanceId })
      })
      tasks.run(checking, { instanceId }, () => {
        historyChecks.delete(instanceId)
        sleep.wake()
      })
    }
  }

  let checks = 0
  async function checkInstances() {
    const room = MAX_CALLS - checks
    if (room <= 0) return
    for (const due of await claimChecks(db, room)) {
      checks++
      tasks.run(checkInstance(deps, due, isStopping), { instanceId: due.id }, () => {
        checks--
      })
    }
  }

  const loop = openLoop(
    [
      // Without a job most of what an idle process does would be the other steps.
      { name: 'look for jobs', run: async () => (await hasUnfinished(db)) || NOTHING_TO_DO },
      { name: 'start due jobs', run: () => startDueJobs(db) },
      { name: 'mark in doubt', run: () => markInDoubt(db) },
      { name: 'check histories', run: checkHistories },
      { name: 'claim instances', run: claim },
      { name: 'look up doubts', run: lookUpDoubts },
      { name: 'check instances', run: checkInstances },
    ],
    log,
  )
  function reportError(error: unknown, where?: object) {
    loop.reportError(error, where)
  }

  async function runLoop() {
    await firstBeat
    while (!isStopping()) {
      await loop.pass()
      await sleep.sleep(POLL_MS)
    }
  }

  // A loop of its own, because a late beat begins an era (history/heartbeat.ts). A worker beats before it looks for
  // work. For the same reason it never rests for long after an error.
  const heartLoop = openLoop([{ name: 'heartbeat', run: heartbeat.beat }], log, BEAT_EVERY_MS)
  const betweenBeats = interruptibleSleep()
  const firstBeat = heartLoop.pass()
  async function runHeartLoop() {
    await firstBeat
    for (;;) {
      await betweenBeats.sleep(BEAT_EVERY_MS)
      if (isStopping()) return
      await heartLoop.pass()
    }
  }

  let renewing: Promise<void> | null = null
  const renewal = setInterval(() => {
    renewing ??= renewLeases(db, [...instances.values()])
      .catch(reportError)
      .finally(() => {
        renewing = null
      })
  }, RENEW_EVERY_MS)
  // While the connection for notifications is down, work begins up to half a second later.
  const listening = db.listen(WAKE_CHANNEL, sleep.wake, sleep.wake)
  const looping = Promise.all([runLoop(), runHeartLoop()])

  return {
    wake: sleep.wake,
    async stop() {
      stoppingSince ??= performance.now()
      stopping.abort()
      sleep.wake()
      betweenBeats.wake()
      await beats.end(END_MS)
      await looping
      await tasks.allDone()
      await batches.close()
      clearInterval(renewal)
      await renewing
      await progress.stop()
      await listening.close()
      await Promise.all([db.end(END_MS), deps.db.end(END_MS)])
    },
  }
}

const idsOf = ({ id: deliveryId, jobId, instanceId }: LookUp) => ({ deliveryId, jobId, instanceId })

/** Tasks that run beside the loop. Their errors are reported. */
function openTasks(reportError: (error: unknown, where: object) => void) {
  const running = new Set<Promise<void>>()
  return {
    /** `where` goes into the log with an error. */
    run(task: Promise<void>, where: object, whenDone: () => void) {
      const done = task
        .catch((error) => reportError(error, where))
        .finally(() => {
          whenDone()
          running.delete(done)
        })
      running.add(done)
    },
    async allDone() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
