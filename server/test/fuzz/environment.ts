import { join } from 'node:path'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { type Secrets, secretsOf } from '../../src/platform/secrets.ts'
import { Installation, type Sendroom, startSimulatorProcess } from '../process.ts'
import { SECRET } from './markers.ts'
import { type Description, type Operation, operationsOf } from './operations.ts'

type SimulatorProcess = Awaited<ReturnType<typeof startSimulatorProcess>>

/**
 * The shipped server with its engine and its own PostgreSQL, and the simulator as the provider of all instances.
 * `await using` removes them.
 */
export class Environment {
  readonly server: Sendroom
  readonly db: Pool
  readonly secrets: Secrets
  readonly simulator: SimulatorProcess
  readonly operations: Operation[]
  readonly dataDir: string
  readonly #opened: AsyncDisposableStack

  private constructor(
    opened: AsyncDisposableStack,
    parts: Pick<Environment, 'server' | 'db' | 'secrets' | 'simulator' | 'operations' | 'dataDir'>,
  ) {
    this.#opened = opened
    this.server = parts.server
    this.db = parts.db
    this.secrets = parts.secrets
    this.simulator = parts.simulator
    this.operations = parts.operations
    this.dataDir = parts.dataDir
  }

  static async open(): Promise<Environment> {
    await using opening = new AsyncDisposableStack()
    const secretKey = `${SECRET} key of the fuzz tests, long enough`
    const installation = opening.use(
      await Installation.create({
        SECRET_KEY: secretKey,
        LOG_LEVEL: 'debug',
        NODE_OPTIONS: `--import ${join(import.meta.dirname, 'instruments.ts')}`,
      }),
    )
    const simulator = opening.use(await startSimulatorProcess(installation.dataDir))
    // No instance may reach the real provider, whatever token a request gives it.
    const server = await installation.start([], {
      WHAPI_BASE_URL: simulator.url,
      TEST_PROVIDER_URL: simulator.url,
    })
    const db = connect(installation.database, { applicationName: 'fuzz' })
    opening.defer(() => db.end(1000))
    const description = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as Description // our own document
    const parts = {
      server,
      db,
      secrets: secretsOf(secretKey),
      simulator,
      operations: operationsOf(description),
      dataDir: installation.dataDir,
    }
    return new Environment(opening.move(), parts)
  }

  [Symbol.asyncDispose] = () => this.#opened.disposeAsync()
}
