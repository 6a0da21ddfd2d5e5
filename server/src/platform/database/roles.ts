import type { DatabaseAddress } from '../../database-url.ts'
import { LOCKS, lock } from './advisory-lock.ts'
import { connect, type Pool } from './connection.ts'
import { raw, sql } from './sql.ts'

/**
 * The roles of the embedded cluster. The superuser, who made the cluster, only prepares the database. The owner runs the
 * migrations, and all tables belong to it. The app reads and writes rows: it can neither change the schema nor regain
 * a right that a migration has revoked from it. pg-boss makes its own tables, so its schema belongs to the app.
 */
export const SUPERUSER = 'sendroom'
export const OWNER = 'sendroom_owner'
export const APP = 'sendroom_app'

const APPLICATION = 'sendroom setup'

/**
 * Creates the roles and the database, and gives them their rights. Clusters of older Sendrooms have the superuser's
 * tables, which the owner takes over. Several processes may call this at once.
 */
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
    for (const { statement } of await tx.many<{ statement: string }>(HANDOVER)) await tx.run(raw(statement))
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
  create schema if not exists pgboss authorization ${APP};
  alter schema pgboss owner to ${APP};
  grant select, insert, update, delete on all tables in schema public to ${APP};
  alter default privileges for role ${OWNER} in schema public
    grant select, insert, update, delete on tables to ${APP};`

/**
 * The statements that give the superuser's objects in our schemas to their new owners. (REASSIGN OWNED refuses to take
 * anything from the superuser who made the cluster.) Indexes and the sequences of columns follow their tables. Objects
 * of extensions stay as they are.
 */
const HANDOVER = sql`
  with objects as (
    select 'pg_class'::regclass as catalog, oid, relnamespace as schema, relowner as owner, 'table' as kind,
      oid::regclass::text as name
    from pg_class where relkind in ('r', 'p')
    union all
    select 'pg_proc'::regclass, oid, pronamespace, proowner, 'routine', oid::regprocedure::text
    from pg_proc
    union all
    select 'pg_type'::regclass, oid, typnamespace, typowner, 'type', oid::regtype::text
    from pg_type where typtype in ('e', 'd')
  )
  select format('alter %s %s owner to %I', kind, name,
    case nspname when 'pgboss' then ${APP}::text else ${OWNER}::text end) as statement
  from objects join pg_namespace n on n.oid = schema
  where nspname in ('public', 'pgboss') and pg_get_userbyid(owner) = ${SUPERUSER}
    and not exists (select from pg_depend where classid = catalog and objid = objects.oid and deptype = 'e')`
