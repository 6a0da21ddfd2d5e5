import { threadId } from 'node:worker_threads'

// Functions for the tests of the worker thread.

export const url = import.meta.url

export const threadOf = () => threadId
export const double = (value: number) => 2 * value
export function fail(message: string) {
  throw new RangeError(message)
}
/** Throws where the call can't catch it, which ends the thread. */
export const throwLater = (message: string) =>
  new Promise<void>(() => {
    setImmediate(() => {
      throw new Error(message)
    })
  })
export function loop() {
  for (;;);
}
