import { onTestFinished, vi } from 'vitest'

/**
 * Lets the monotonic clock of this process run so many times as fast until the test has ended. Timers stay as they are.
 */
export function hasten(times: number): void {
  const now = performance.now.bind(performance)
  const from = now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => from + (now() - from) * times)
  onTestFinished(() => clock.mockRestore())
}
