import { isDatabaseDown } from '../platform/database/errors.ts'
import { checkAccount, claimChecks, failOverdue } from './account.ts'
import { claimAsks, openAsking } from './ask.ts'
import { openBatches } from './batch.ts'
import { type Claim, claimAccounts, RENEW_EVERY_MS, renewLeases, strandDeliveries } from './claim.ts'
import { finishJobs, forgetCredited, startDueJobs } from './life.ts'
import { NUDGE } from './nudge.ts'
import type { EngineParts } from './parts.ts'
import { openProgress } from './progress.ts'
import { applyReceipts, forgetReceipts } from './receipts.ts'
import { claimLookUps, lookUp } from './reconcile.ts'
import { runAccount, type Sender } from './sender.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How often a worker looks by itself; a nudge wakes it at once. */
const POLL_MS = 500
const SWEEP_MS = 2_000
const ASK_MS = 10_000
const FORGET_MS = 600_000
const ACCOUNTS_AT_ONCE = 5_000
const CLAIMS_AT_ONCE = 200
const CALLS_AT_ONCE = 20
/** A database that stays away while we stop: what is not recorded by then, the look-ups find out. */
const STOP_PATIENCE_MS = 10_000

export type Engine = {
  /**
   * No new sends; what is in flight finishes and is recorded, and the accounts are handed over at once.
   * Takes as long as one send may take; with the database away, 10 s more at most.
   */
  stop: () => Promise<void>
  /** Looks for work now. */
  wake: () => void
}

/** Starts a worker. It survives the loss of the database: it says so once, waits, and goes on. */
export function startEngine(parts: EngineParts): Engine {
  const { db, log } = parts
  const accounts = new Map<number, Claim>()
  const lookingAt = new Set<number>()
  const running = new Set<Promise<void>>()
  let checks = 0
  let stoppingSince: number | null = null
  const progress = openProgress(db, complain)
  const batches = openBatches(db)
  const sender: Sender = {
    ...parts,
    hand: batches.hand,
    moved: progress.moved,
    isStopping: () => stoppingSince !== null,
    isGivingUp: () => stoppingSince !== null && performance.now() - stoppingSince > STOP_PATIENCE_MS,
  }

  /** Runs beside the loop; `stop` waits for it. */
  function run(task: Promise<void>, whenDone: () => void) {
    const done = task.catch(complain).finally(() => {
      whenDone()
      running.delete(done)
    })
    running.add(done)
  }

  let isDown = false
  function complain(error: unknown) {
    if (!isDatabaseDown(error)) return log.error({ err: error }, 'The engine met an error and goes on')
    if (!isDown) log.warn({ err: error }, 'The database is away: the engine waits for it')
    isDown = true
  }

  async function claim() {
    const room = Math.min(CLAIMS_AT_ONCE, ACCOUNTS_AT_ONCE - accounts.size)
    if (room <= 0) return
    const claims = await claimAccounts(db, room)
    for (const claim of claims) {
      accounts.set(claim.instanceId, claim)
      run(runAccount(sender, claim), () => {
        if (accounts.get(claim.instanceId) === claim) accounts.delete(claim.instanceId)
      })
    }
    if (claims.length === room) nap.wake()
  }

  async function look() {
    const room = CALLS_AT_ONCE - lookingAt.size
    if (room <= 0) return
    for (const due of await claimLookUps(db, room, [...lookingAt])) {
      lookingAt.add(due.instanceId)
      run(lookUp(parts, due), () => {
        lookingAt.delete(due.instanceId)
        progress.moved(due)
        nap.wake()
      })
    }
  }

  async function check() {
    const room = CALLS_AT_ONCE - checks
    if (room <= 0) return
    for (const due of await claimChecks(db, room)) {
      checks++
      run(checkAccount(parts, due), () => {
        checks--
      })
    }
  }

  let isApplying = false
  function apply() {
    if (isApplying) return
    isApplying = true
    const applying = applyReceipts(db).then((jobs) => jobs.forEach(progress.moved))
    run(applying, () => {
      isApplying = false
    })
  }

  const askAbout = openAsking(parts)
  async function ask() {
    for (const due of await claimAsks(db, CALLS_AT_ONCE)) run(askAbout(due), () => {})
  }

  const isAskDue = every(ASK_MS)
  const isSweepDue = every(SWEEP_MS)
  const isForgetDue = every(FORGET_MS)
  isForgetDue() // Not at once: receipts that came while no worker ran have their turn first.
  async function tick() {
    await startDueJobs(db)
    await strandDeliveries(db)
    await claim()
    await look()
    await check()
    apply()
    if (isAskDue()) await ask()
    if (isSweepDue()) {
      await finishJobs(db)
      await failOverdue(db, parts.accountWaitMs ?? DAY_MS)
    }
    if (isForgetDue()) {
      await forgetCredited(db)
      await forgetReceipts(db)
    }
  }

  const nap = napper()
  // Without the connection for nudges work begins half a second later.
  const listening = db.listen(NUDGE, nap.wake, nap.wake)
  async function loop() {
    while (stoppingSince === null) {
      try {
        await tick()
        if (isDown) log.info({}, 'The database is back')
        isDown = false
      } catch (error) {
        complain(error)
      }
      await nap.sleep(POLL_MS)
    }
  }

  let renewing: Promise<void> | null = null
  const renewal = setInterval(() => {
    renewing ??= renewLeases(db, [...accounts.values()])
      .catch(complain)
      .finally(() => {
        renewing = null
      })
  }, RENEW_EVERY_MS)
  const looping = loop()

  return {
    wake: nap.wake,
    async stop() {
      stoppingSince ??= performance.now()
      nap.wake()
      await looping
      while (running.size > 0) await Promise.all(running)
      await batches.close()
      clearInterval(renewal)
      await renewing
      await progress.stop()
      await listening.close()
    },
  }
}

/** True at the first call, and then once in each period. */
function every(periodMs: number) {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - last < periodMs) return false
    last = now
    return true
  }
}

/** A sleep that can be cut short; a wake between two sleeps cuts the next one. */
function napper() {
  let isAwake = false
  let rise: (() => void) | null = null
  return {
    wake: () => {
      isAwake = true
      rise?.()
    },
    sleep: async (ms: number) => {
      if (!isAwake)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          rise = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      isAwake = false
      rise = null
    },
  }
}
