/** Resolves with the result, or with null as soon as the signal aborts. */
export async function orNullAtAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const abort = () => resolve(null)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return await Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}
