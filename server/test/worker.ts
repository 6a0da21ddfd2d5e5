import { type EngineDeps, startEngine } from '../src/engine/index.ts'
import { startTasks } from '../src/platform/recurring.ts'
import { deliveryTasks } from '../src/recurring-work.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Starts what a worker does for deliveries: the engine and its recurring work. */
export function startWorker(deps: EngineDeps, accountWaitMs = DAY_MS) {
  const engine = startEngine(deps)
  const db = deps.db.dedicated(6)
  const stopTasks = startTasks(deliveryTasks({ ...deps, db, accountWaitMs }), deps.db, deps.log)
  async function stop() {
    await Promise.all([engine.stop(), stopTasks()])
    await db.end(1000)
  }
  return { wake: engine.wake, stop }
}
