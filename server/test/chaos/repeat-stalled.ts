import { monitorEventLoopDelay } from 'node:perf_hooks'

/** From then on a late message may have come later than a plan allows: README.md, "Limits of a plan". */
const STALLED_MS = 300
const ATTEMPTS = 3

/** Repeats a run with violations if this machine stalled meanwhile, because such a run proves nothing. */
export async function repeatStalled<R extends { violations: { length: number } }>(
  run: () => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const delays = monitorEventLoopDelay()
    delays.enable()
    const result = await run()
    delays.disable()
    const hasStalled = delays.max / 1e6 >= STALLED_MS
    if (result.violations.length === 0 || !hasStalled || attempt === ATTEMPTS) return result
  }
}
