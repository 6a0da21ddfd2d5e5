import type { DatabaseAddress } from '../database-url.ts'
import { LOCKS, lock } from '../platform/database/advisory-lock.ts'
import { connect, type Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'

/**
 * The roles of the embedded cluster. The superuser, who made the cluster, only prepares the database. The owner runs
 * the migrations, and all tables belong to it. The app reads and writes rows: it can neither change the schema nor
 * regain a right that a migration has revoked from it.
 */
export const SUPERUSER = 'sendroom'
export const OWNER = 'sendroom_owner'
export const APP = 'sendroom_app'

const APPLICATION = 'sendroom setup'

/** Creates the roles and the database, and gives them their rights. Several processes may call this at once. */
export async function prepareDatabase(superuser: DatabaseAddress): Promise<void> {
  await using admin = open({ ...superuser, database: 'postgres' })
  const owner = await ownerOf(admin.db, superuser.database)
  if (owner === OWNER) return
  if (owner === undefined) await createDatabase(admin.db, superuser.database)

  await using inside = open(superuser)
  await inside.db.begin(async (tx) => {
    await lock(tx, LOCKS.roles)
    // A concurrent start was faster.
    if ((await ownerOf(tx, superuser.database)) === OWNER) return
    await tx.script(createRole(OWNER, superuser.password) + createRole(APP, superuser.password))
    await tx.script(RIGHTS)
    // The last step of the transaction, because it tells later starts that all is done.
    await tx.script(`alter database ${superuser.database} owner to ${OWNER}`)
  })
}

function open(address: DatabaseAddress) {
  const db = connect(address, { max: 1, applicationName: APPLICATION })
  return { db, [Symbol.asyncDispose]: () => db.end(1000) }
}

async function ownerOf(db: Pick<Pool, 'maybeOne'>, database: string): Promise<string | undefined> {
  const found = await db.maybeOne<{ owner: string }>(sql`
    select pg_get_userbyid(datdba)::text as owner from pg_database where datname = ${database}`)
  return found?.owner
}

async function createDatabase(db: Pool, database: string) {
  try {
    await db.script(`create database ${database}`)
  } catch (error) {
    // A concurrent start created the database in the same moment.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== '42P04' && code !== '23505') throw error
  }
}

/** The password is empty except on Windows. Whoever can read it there may use all three roles. */
const createRole = (role: string, password: string) => `
  do $$ begin
    if to_regrole('${role}') is null then
      create role ${role} login ${password && `password '${password}'`};
    end if;
  end $$;`

/** The owner may create tables in `public`, because that schema belongs to the owner of the database. */
const RIGHTS = `
  alter default privileges for role ${OWNER} in schema public
    grant select, insert, update, delete on tables to ${APP};`
