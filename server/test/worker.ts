import { type EngineDeps, startEngine } from '../src/engine/index.ts'
import { startTasks } from '../src/platform/recurring.ts'
import { deliveryTasks, seriesTasks } from '../src/recurring-work.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Starts what a worker does for deliveries and series: the engine and its recurring work, that many times as often as
 * in production.
 */
export function startWorker(deps: EngineDeps, { accountWaitMs = DAY_MS, timesAsOften = 1 } = {}) {
  const engine = startEngine(deps)
  const db = deps.db.dedicated(6)
  const tasks = [...deliveryTasks({ ...deps, db, accountWaitMs }), ...seriesTasks(db, 'VN')]
  const stopTasks = startTasks(
    tasks.map((task) => ({ ...task, every: task.every / timesAsOften })),
    deps.db,
    deps.log,
  )
  async function stop() {
    await Promise.all([engine.stop(), stopTasks()])
    await db.end(1000)
  }
  return { wake: engine.wake, stop }
}
