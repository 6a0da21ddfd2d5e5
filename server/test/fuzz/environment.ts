import { join } from 'node:path'
import { connect, type Pool } from '../../src/platform/database/connection.ts'
import { type Secrets, secretsOf } from '../../src/platform/secrets.ts'
import { startSimulator } from '../../src/providers/test-mode.ts'
import { Installation, type Sendroom } from '../process.ts'
import { SimulatorControl } from '../simulator-control.ts'
import { SECRET } from './markers.ts'
import { type Description, type Operation, operationsOf } from './operations.ts'

/**
 * The shipped server with its engine and its own PostgreSQL, and the simulator as the provider of all instances.
 * `await using` removes them.
 */
export class Environment {
  readonly server: Sendroom
  readonly db: Pool
  readonly secrets: Secrets
  readonly simulator: SimulatorControl
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
    // Requests add hundreds of instances. With groups as large as usual, these would have millions of participants.
    const simulator = await startSimulator({ groupsPerChannel: 5 })
    opening.defer(simulator.close)
    // No instance may reach the real provider, whatever token a request gives it.
    const server = await installation.start([], {
      WHAPI_BASE_URL: simulator.url,
      TEST_PROVIDER_URL: simulator.url,
    })
    const db = connect(installation.database, { applicationName: 'fuzz' })
    opening.defer(() => db.end(1000))
    const description = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as Description // our document
    const parts = {
      server,
      db,
      secrets: secretsOf(secretKey),
      simulator: new SimulatorControl(simulator.url),
      operations: operationsOf(description),
      dataDir: installation.dataDir,
    }
    return new Environment(opening.move(), parts)
  }

  [Symbol.asyncDispose] = () => this.#opened.disposeAsync()
}
