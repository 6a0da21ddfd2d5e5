import type { Pool } from '../src/platform/database/connection.ts'
import { type Sql, sql } from '../src/platform/database/sql.ts'
import { type Secrets, secretsOf, useNumberKey } from '../src/platform/secrets.ts'
import { addClock, changeClock, movedBy } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { factories } from './factories.ts'

/** A clone of the migrated database, factories to fill it, and a clock that a test can move. */
export class DatabaseContext {
  readonly secrets: Secrets = secretsOf('the secret key of the tests, long enough')
  #database: TestDatabase | undefined
  #clock: Promise<void> | undefined

  async open() {
    this.#database = await createTestDatabase()
    this.#clock = undefined
    useNumberKey(this.db, Buffer.from('the key of forgotten numbers in tests'))
  }

  async close() {
    await this.#database?.drop()
  }

  get database(): TestDatabase {
    if (!this.#database) throw new Error('The context is open only inside a test.')
    return this.#database
  }

  get db(): Pool {
    return this.database.db
  }

  /** Inserts users, instances, groups, messages and jobs straight into the database. */
  get add() {
    return factories(this.db, this.secrets)
  }

  /** The ids of the instances whose sync is due. */
  async dueSyncs() {
    const due = await this.db.many<{ id: number }>(
      sql`select id from instances where sync_due_at <= clock_now() order by sync_due_at, id`,
    )
    return due.map(({ id }) => id)
  }

  /** Matches the job's only delivery with a message at the provider. */
  match(jobId: number, providerMessageId: string) {
    return this.db.many(sql`
      with matched as (
        update deliveries set provider_message_id = ${providerMessageId} where job_id = ${jobId}
        returning instance_id, provider_message_id, id
      )
      insert into matched_messages (instance_id, provider_message_id, delivery_id) select * from matched`)
  }

  /** Sets how far the database's clock is ahead of the real one. All our queries read the time from that clock. */
  async shiftClock(ahead: string) {
    await this.#changeClock(sql`${ahead}::text::interval`)
  }

  /** Moves the database's clock on from where it is. */
  async moveClock(by: string) {
    await this.#changeClock(movedBy(by))
  }

  /** Sets the database's clock to this time. The clock goes on from there. */
  async setClock(at: string) {
    await this.#changeClock(sql`${at}::text::timestamptz - coalesce(frozen_at, now())`)
  }

  /** Stops the database's clock, so that a slow test does not matter. It can still be moved. */
  async freezeClock() {
    await this.#changeClock(sql`ahead, frozen_at = now()`)
  }

  async #changeClock(ahead: Sql) {
    this.#clock ??= addClock(this.db)
    await this.#clock
    await changeClock(this.db, ahead)
  }
}
