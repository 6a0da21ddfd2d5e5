import type { DatabaseAddress } from '../src/database-url.ts'
import { connect, type Pool } from '../src/platform/database/connection.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { storeSessionDefaults } from '../src/platform/database/session-defaults.ts'
import { sql } from '../src/platform/database/sql.ts'

/**
 * Deployed, each execution of a statement is planned anew, because a generic plan may read a million rows. Tests have
 * few rows, and planning took a third of their PostgreSQL's time. The tests that count the rows read plan as deployed.
 */
const PLAN_ONCE = sql`alter role current_user set plan_cache_mode = force_generic_plan`

/** Creates `tpl`, a migrated database to clone. `extend` may add to it. */
export async function createTemplate(
  cluster: DatabaseAddress,
  extend: (db: Pool) => Promise<unknown> = async () => {},
): Promise<void> {
  const applicationName = 'sendroom test'
  const admin = connect({ ...cluster, database: 'postgres' }, { max: 1, applicationName })
  await admin.run(sql`create database tpl`)
  await storeSessionDefaults(admin, 'cluster')
  await admin.run(PLAN_ONCE)
  await admin.end()
  const template = connect({ ...cluster, database: 'tpl' }, { max: 1, applicationName })
  try {
    await migrate(template)
    await extend(template)
  } finally {
    // PostgreSQL refuses to clone a database while anybody is connected to it.
    await template.end()
  }
}
