import type { Program } from '../process.ts'
import type { Stage } from './stage.ts'
import type { WorkerOptions } from './worker.ts'

type Worker = { name: string; program: Program; isStopped: boolean }

/** The workers of a round. One that ends by itself, or meets what it did not expect, is a violation. */
export class Crew {
  readonly #stage: Stage
  readonly #options: Omit<WorkerOptions, 'name' | 'providerUrl'>
  readonly #violations: string[]
  readonly #workers: Worker[] = []

  constructor(stage: Stage, options: Omit<WorkerOptions, 'name' | 'providerUrl'>, violations: string[]) {
    this.#stage = stage
    this.#options = options
    this.#violations = violations
  }

  start(slot: number, generation: number) {
    const name = `worker ${slot}.${generation}`
    const program = this.#stage.startWorker({ ...this.#options, name })
    this.#workers[slot] = { name, program, isStopped: false }
  }

  #worker(slot: number): Worker {
    const worker = this.#workers[slot % this.#workers.length]
    if (!worker) throw new Error(`There is no worker ${slot}`)
    return worker
  }

  /** SIGKILL, and another one in its place. */
  async kill(slot: number): Promise<void> {
    const worker = this.#worker(slot)
    this.#expectAlive(worker)
    await worker.program.end('SIGKILL')
    this.#hear(worker)
    const [, generation] = worker.name.split('.')
    this.start(slot % this.#workers.length, Number(generation) + 1)
  }

  /** SIGSTOP; what it returns is SIGCONT, unless it was killed meanwhile. */
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

  /** An error that the engine did not expect is a violation, even if all came well. */
  #hear({ name, program }: Worker) {
    const errors = program.stderr.split('\n').filter((line) => line.startsWith('ERROR'))
    for (const error of new Set(errors)) this.#violations.push(`${name} logged: ${error}`)
    if (program.stderr.includes('Error') && errors.length === 0 && !/(warn|info) /.test(program.stderr))
      this.#violations.push(`${name} said: ${program.stderr}`)
  }

  /** Stops all in order. */
  async end(): Promise<void> {
    await Promise.all(
      this.#workers.map(async (worker) => {
        // Before it has said so it can't be asked.
        await worker.program.says(/The worker runs/)
        const code = await worker.program.end('SIGTERM')
        if (code !== 0) this.#violations.push(`${worker.name} ended with ${code}: ${worker.program.stderr}`)
        this.#hear(worker)
      }),
    )
  }

  async [Symbol.asyncDispose]() {
    await Promise.all(this.#workers.map(({ program }) => program.end('SIGKILL')))
  }
}
