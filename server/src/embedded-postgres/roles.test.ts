import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { deleteOldAudit, record } from '../platform/audit.ts'
import { connect, type Pool } from '../platform/database/connection.ts'
import { schemaIsCurrent } from '../platform/database/migrate.ts'
import { sql } from '../platform/database/sql.ts'
import { type Cluster, startCluster } from './cluster.ts'

const log = { info() {}, warn() {}, error() {} }
let folder: string
let cleanUps: (() => Promise<unknown>)[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendroom-roles-'))
  await chmod(folder, 0o755)
  cleanUps = [() => rm(folder, { recursive: true })]
})
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

async function start(): Promise<Cluster> {
  const cluster = await startCluster(folder, log)
  cleanUps.push(cluster.stop)
  return cluster
}

async function open(): Promise<Pool> {
  const { db, close } = await openDatabase({ dataDir: folder }, log)
  cleanUps.push(close)
  return db
}

function connectTo(address: Cluster['app']): Pool {
  const db = connect(address, { max: 2, applicationName: 'sendroom test' })
  cleanUps.push(() => db.end(1000))
  return db
}

const insertUser = (db: Pool, name: string) =>
  db.run(sql`
    insert into users (username, email, password_hash, role, is_active) values (${name}, ${name}, '', 'Member', true)`)

/** Everything in our schema that does not belong to its owner. */
const readForeign = (db: Pool) =>
  db.many(sql`
    select object from (
      select oid::regclass::text as object, relowner as owner, relnamespace as schema from pg_class
      union all select oid::regprocedure::text, proowner, pronamespace from pg_proc
      union all select oid::regtype::text, typowner, typnamespace from pg_type
    ) o join pg_namespace n on n.oid = schema
    where nspname = 'public' and pg_get_userbyid(owner) <> 'sendroom_owner'
      and object !~ 'trgm|similarity|limit'`)

async function expectLimitedApp(db: Pool) {
  expect(
    await db.one(sql`
      select current_user as user, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as strong,
        (select pg_get_userbyid(datdba)::text from pg_database where datname = current_database()) as owner
      from pg_roles where rolname = current_user`),
  ).toEqual({ user: 'sendroom_app', strong: false, owner: 'sendroom_owner' })
  for (const statement of [
    'create table t (id int)',
    'create schema s',
    'alter table users disable trigger all',
    'drop table sessions',
    'truncate sessions',
    'set role sendroom_owner',
    'set role sendroom',
    "copy users to program 'cat'",
  ])
    await expect(db.script(statement), statement).rejects.toThrow(/permission denied|must be owner/)
  expect(await readForeign(db)).toEqual([])
}

test('the app reads and writes rows of a new cluster, and can do nothing else', async () => {
  const db = await open()
  await expectLimitedApp(db)
  await insertUser(db, 'new')
  expect(await db.run(sql`update users set is_active = false`)).toBe(1)
  expect(await db.run(sql`delete from users`)).toBe(1)
  expect(await schemaIsCurrent(db)).toBe(true)
})

test('a migration can deny the app to change or delete the rows of a table', async () => {
  const cluster = await start()
  const owner = connectTo(cluster.owner)
  await owner.script(`
    create table events (id bigint generated always as identity primary key, text text);
    revoke update, delete on events from sendroom_app`)
  const app = connectTo(cluster.app)
  await app.run(sql`insert into events (text) values ('a')`)
  expect(await app.many(sql`select text from events`)).toEqual([{ text: 'a' }])
  for (const statement of [
    "update events set text = 'b'",
    'delete from events',
    'truncate events',
    'drop table events',
    'grant update on events to sendroom_app',
    'alter table events owner to sendroom_app',
  ])
    await app.script(statement).catch(() => {})
  await expect(app.script('delete from events')).rejects.toThrow('permission denied')
  expect(await app.many(sql`select text from events`)).toEqual([{ text: 'a' }])
})

test('the app adds entries to the audit log and can neither change nor delete one', async () => {
  const app = await open()
  await app.begin((tx) =>
    record(tx, { id: 1, username: 'an', address: '10.0.0.1' }, { action: 'session.sign_in' }),
  )
  for (const statement of [
    "update audit_log set user_name = 'binh'",
    'delete from audit_log',
    'truncate audit_log',
    'alter table audit_log disable trigger all',
    'drop table audit_log',
    'create or replace function delete_old_audit(days int) returns bigint language sql as $$ select 0::bigint $$',
  ])
    await expect(app.script(statement), statement).rejects.toThrow(/permission denied|must be owner/)
  for (const days of ['29', '-1', 'null'])
    await expect(app.script(`select delete_old_audit(${days})`)).rejects.toThrow('at least 30 days')
  await deleteOldAudit(app, 30)
  expect(await app.many(sql`select user_name from audit_log`)).toEqual([{ userName: 'an' }])
})
