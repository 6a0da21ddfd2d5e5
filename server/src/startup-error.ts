/** The program can't start. The message is one sentence for the operator: the reason, and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
  readonly exitCode: number = 1
}
