import type { Program } from '../process.ts'
import type { Environment } from './environment.ts'
import type { WorkerOptions } from './worker.ts'

type Worker = { name: string; program: Program; isStopped: boolean }
type PoolOptions = Pick<WorkerOptions, 'database' | 'accountWaitMs' | 'mutant'>

/** The workers of a chaos run. A worker that ends by itself or logs an error is a violation. */
export class WorkerPool {
  readonly #environment: Environment
  readonly #options: PoolOptions
  readonly #violations: string[]
  readonly #workers: Worker[] = []

  constructor(environment: Environment, options: PoolOptions, violations: string[]) {
    this.#environment = environment
    this.#options = options
    this.#violations = violations
  }

  start(slot: number, generation: number) {
    const name = `worker ${slot}.${generation}`
    const program = this.#environment.startWorker({ ...this.#options, name })
    this.#workers[slot] = { name, program, isStopped: false }
  }

  #worker(slot: number): Worker {
    const worker = this.#workers[slot % this.#workers.length]
    if (!worker) throw new Error(`There is no worker ${slot}`)
    return worker
  }

  /** Sends SIGKILL and starts another worker in the slot. */
  async kill(slot: number): Promise<void> {
    const worker = this.#worker(slot)
    this.#expectAlive(worker)
    await worker.program.end('SIGKILL')
    this.#checkOutput(worker)
    const [, generation] = worker.name.split('.')
    this.start(slot % this.#workers.length, Number(generation) + 1)
  }

  /** Sends SIGSTOP. Returns a function that sends SIGCONT, unless the worker was killed meanwhile. */
  stop(slot: number): () => void {
    const worker = this.#worker(slot)
    this.#expectAlive(worker)
    process.kill(worker.program.pid, 'SIGSTOP')
    worker.isStopped = true
    return () => {
      if (worker.isStopped && worker.program.isRunning) process.kill(worker.program.pid, 'SIGCONT')
      worker.isStopped = false
    }
  }

  expectAlive() {
    for (const worker of this.#workers) this.#expectAlive(worker)
  }

  #expectAlive({ name, program }: Worker) {
    if (!program.isRunning) this.#violations.push(`${name} ended by itself: ${program.stderr}`)
  }

  /** Takes each error that the engine logs as a violation, even if all messages went out. */
  #checkOutput({ name, program }: Worker) {
    const errors = program.stderr.split('\n').filter((line) => line.startsWith('ERROR'))
    for (const error of new Set(errors)) this.#violations.push(`${name} logged: ${error}`)
    if (program.stderr.includes('Error') && errors.length === 0 && !/(warn|info) /.test(program.stderr))
      this.#violations.push(`${name} printed: ${program.stderr}`)
  }

  /** Shuts all workers down with SIGTERM. */
  async end(): Promise<void> {
    await Promise.all(
      this.#workers.map(async (worker) => {
        // Before this line the worker does not handle SIGTERM yet.
        await worker.program.says(/The worker runs/)
        const code = await worker.program.end('SIGTERM')
        if (code !== 0) this.#violations.push(`${worker.name} ended with ${code}: ${worker.program.stderr}`)
        this.#checkOutput(worker)
      }),
    )
  }

  async [Symbol.asyncDispose]() {
    await Promise.all(this.#workers.map(({ program }) => program.end('SIGKILL')))
  }
}
