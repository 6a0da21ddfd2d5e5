/** The program can't start, and its message is the one sentence that tells the operator why and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
}
