import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DatabaseAddress } from '../../src/database-url.ts'
import { type ClusterFiles, prepareFiles } from '../../src/embedded-postgres/cluster-files.ts'
import { launch, shutDown } from '../../src/embedded-postgres/launch.ts'
import { isDatabaseDown } from '../../src/platform/database/errors.ts'
import { killPostgres } from '../kill-postgres.ts'
import { until } from '../until.ts'
import { queryAt } from './replication.ts'

/** A server that was killed is listed for a moment, and its last process ends a moment after it. */
const FORMER_IS_THERE = /"postmaster.pid" already exists|pre-existing shared memory block/

/** A node is one of the two PostgreSQLs of the short form. Everything here goes past the proxies. */
export class PostgresNode {
  isRunning = false
  readonly #folder: string
  readonly #files: ClusterFiles

  private constructor(folder: string, files: ClusterFiles) {
    this.#folder = folder
    this.#files = files
  }

  /** Creates an empty cluster. */
  static async create(folder: string): Promise<PostgresNode> {
    await mkdir(folder)
    await chmod(folder, 0o755)
    return new PostgresNode(folder, await prepareFiles(folder))
  }

  get address(): DatabaseAddress {
    return { ...this.#files.superuser, database: 'postgres' }
  }

  /** Tries again while a server that was killed keeps another from starting. */
  async start() {
    let attempt = await launch(this.#files)
    await until('PostgreSQL answers', async () => {
      if (attempt.hasExited()) {
        if (!FORMER_IS_THERE.test(attempt.output()))
          throw new Error(`PostgreSQL did not start: ${attempt.output()}`)
        attempt = await launch(this.#files)
        return false
      }
      return this.query('select 1').catch((error) => {
        if (!isDatabaseDown(error)) throw error
      })
    })
    this.isRunning = true
  }

  /** Starts as a read-only standby of the server in `primary_conninfo`. */
  async startAsStandby() {
    await writeFile(join(this.#files.folder, 'standby.signal'), '')
    await this.start()
  }

  /** Replaces the files by those of the other node. Neither may run. */
  async copyFrom(other: PostgresNode) {
    await rm(this.#files.folder, { recursive: true })
    // Node's own copy would lose the owner of the files.
    await promisify(execFile)('cp', ['-a', other.#files.folder, this.#folder])
  }

  /** Shuts down after the standby has received everything. */
  async stop() {
    await shutDown(this.#files)
    this.isRunning = false
  }

  async kill() {
    await killPostgres(this.address)
    this.isRunning = false
  }

  /** Waits until this standby accepts writes. */
  async promote() {
    await this.query('select pg_promote()')
  }

  query = (text: string) => queryAt(this.address, text)
}
