import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { backUp } from '../src/backup/backup.ts'
import { restore } from '../src/backup/restore.ts'
import { readConfig } from '../src/config.ts'
import { targetOf } from '../src/database-url.ts'
import type { Pool } from '../src/platform/database/connection.ts'
import { identifier, sql } from '../src/platform/database/sql.ts'
import { newName, openFiles } from '../src/platform/files/store.ts'
import { openImages } from '../src/platform/images/store.ts'
import { openSecrets, type Secrets } from '../src/platform/secrets.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { factories } from './factories.ts'

/** A database with a data folder, as one Sendroom has them. */
export class Place {
  /** The output of the last command. */
  said: string[] = []
  /** Other variables, such as a password. */
  env: Record<string, string> = {}
  readonly #stopping = new AbortController()
  readonly database: TestDatabase
  readonly dataDir: string

  constructor(database: TestDatabase, dataDir: string) {
    this.database = database
    this.dataDir = dataDir
  }

  get db(): Pool {
    return this.database.db
  }

  get config() {
    return {
      ...readConfig({ DATA_DIR: this.dataDir, ...this.env }),
      database: targetOf(this.database.address),
    }
  }

  get images() {
    return openImages(this.config)
  }

  get files() {
    return openFiles(this.config)
  }

  openSecrets(): Promise<Secrets> {
    return openSecrets(this.db, this.config)
  }

  /** Makes the running command stop, as Ctrl-C does. */
  stop() {
    this.#stopping.abort()
  }

  backUp(file: string, { withKey = false } = {}) {
    return backUp(this.#command(), file, withKey)
  }

  restore(file: string, options: { allowsUnsigned?: boolean } = {}) {
    return restore(this.#command(), file, options)
  }

  #command() {
    this.said = []
    const log = { info() {}, warn() {}, error() {} }
    const say = (sentence: string) => void this.said.push(sentence)
    return { config: this.config, log, say, signal: this.#stopping.signal }
  }
}

/** A fresh folder for each test, and places that end with the test. */
export function useBackups() {
  const places: Place[] = []
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sendroom-backup-'))
  })
  afterEach(async () => {
    for (const { database } of places.splice(0)) await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    /** The path of a file in the test's folder. */
    file: (name = 'backup.tar.gz') => join(folder, name),
    /** `tpl` is migrated, `template0` is empty. */
    async open(template: 'tpl' | 'template0'): Promise<Place> {
      const place = new Place(await createTestDatabase(template), join(folder, `data-${places.length}`))
      places.push(place)
      if (template === 'tpl') await place.images.prepare(false)
      if (template === 'tpl') await place.files.prepare(false)
      return place
    },
  }
}

/** Inserts rows into every table: unfinished, ended and paused jobs, and texts that are hard to write down. */
export async function fillEveryTable(place: Place): Promise<void> {
  const { db } = place
  const add = factories(db, await place.openSecrets())
  const hard = 'Xin chào\t"cả nhà"\r\n\\N \\. 👋🏽\u2028 {a,b} \\x41'
  const { id: imageId } = await addImage(place, Buffer.from([0, 1, 2, 255, 10, 13, 92, 46]))
  await addFile(place, Buffer.from([0, 1, 2, 255]))
  const instance = await add.instance({
    name: hard,
    quietFrom: '22:30',
    quietTo: '06:00',
    waiting: '{"code":"a"}',
  })
  const user = await add.user({ instances: [instance] })
  const group = await add.group({ instanceId: instance.id, name: hard })
  const message = await add.message({ textContent: hard, instanceId: instance.id, imageId })
  const of = { instanceId: instance.id, messageId: message.id, textContent: hard, createdByUserId: user.id }
  const running = await add.job({ ...of, imageId, status: 'Running' })
  await add.job({ ...of, status: 'Pending', pausedAt: '2026-01-02T03:04:05.678901Z' })
  await add.job({ ...of, status: 'Completed', deliveryStatus: 'sent' })
  await add.job({ ...of, status: 'Failed', deliveryStatus: 'failed' })
  await db.script(`
    insert into message_groups values (${message.id}, ${group.id});
    insert into participants values (${group.id}, '1@c.us', 'admin', null, 3);
    insert into other_viewers values (${group.id}, '2@c.us', 4);
    insert into job_logs (job_id, log_level, reason) values (${running.id}, 'Info', '{"code": "x", "params": {"n": 1.50}}');
    insert into receipt_events (instance_id, provider_message_id, state, happened_at) values (1, 'x', 'read', now());
    insert into receipt_batches (receipts, receipt_count) values ('[]', 0);
    insert into receipts_set_aside (receipts, reason, received_at) values ('[]', 'x', now());
    update retention set delivery_days = 90, receipt_days = null, message_days = 365, message_cursor = 7, group_days = 365, group_cursor = 7, contact_days = 365, contact_cursor = 7;
    update messages set changed_at = now() - interval '1 day', used_at = now();
    update quotas set searches_at_once = 7;
    insert into manual_syncs (instance_id) values (1);
    update jobs set final_counts = '{}', has_deliveries = false where status = 'Completed';
    insert into delivery_views values (gen_random_uuid(), '\\x01', '\\x00', now());
    insert into matched_messages values (${instance.id}, 'm', null, now());
    insert into sent_without_rows values (1, null, 1);
    insert into days_without_rows values (1, '2026-01-02', 1, 1, 0, 0);
    insert into counts values ('all', 'groups', 1);
    insert into people_counts values ('all', 0, 1, 1, now());
    insert into instance_days values (0, '2026-01-02', 1, 2, 3, 4);
    insert into sent_to_groups values (${group.id}, ${instance.id}, 1);
    insert into sign_in_failures values ('\\x00ff5c', 3, now(), now());
    insert into sign_in_devices values (${user.id}, 3);
    insert into factors (user_id, secret_cipher, next_cipher, last_step) values (${user.id}, '\\x00ff', '\\x00fe', 3);
    insert into recovery_codes values ('\\x00ff', ${user.id});
    insert into sign_in_tickets values ('\\x00ff', ${user.id}, now());
    update factor_rule set required_of = 'admins', since = now();
    insert into api_keys (user_id, name, token_hash, start, rights, instance_ids, addresses, expires_at)
      values (${user.id}, 'Shop', '\\x00ff', 'sendroom_0000', '{canCreateJobs}', '{1}', '{}', now());
    insert into audit_log (user_name, address, action, object_name, details) values ('', '', 'x', E'a\\\\b', '{}');
    insert into disks values ('host', 2, 1, false);
    insert into troubles (kind, instance_id, reason) values ('account_down', ${instance.id}, '{"code": "x", "params": {}}');
    insert into notices (user_id, trouble_id, moment, in_bell, email_due) values (${user.id}, 1, 'begin', true, true);
    insert into notice_choices values (${user.id}, 'account_down', '{bell}');
    insert into due_emails values (${user.id});
    insert into webhook_receivers (name, url, secret_cipher, topics, is_active, allows_own_network)
      values ('x', 'https://x.example', '\\x00ff', '{job}', true, false);
    insert into webhook_events (type, data) values ('job.running', '{"jobId": 1}');
    insert into webhook_queue (receiver_id, event_id, type, body) values (1, gen_random_uuid(), 'job.running', '{}');
    insert into webhook_attempts (receiver_id, event_id, type, body, duration_ms, has_arrived, error)
      values (1, gen_random_uuid(), 'job.running', '{}', 5, false, 'TIMEOUT');
    insert into contacts (name, numbers, source, source_name) values (E'a\\b', '84901234567', 'form', 'lan');
    insert into contact_identities values ('phone', '84901234567', 1, true, '84901234568');
    insert into contact_fields (key, name, type, choices) values ('city', 'City', 'choice', '{a,b}');
    insert into contact_values values (1, 1, 'a');
    insert into tags (name) values ('x');
    insert into contact_tags values (1, 1);
    insert into imports (source, user_name, status, consent) values ('file', 'lan', 'checked', 'They agreed');
    insert into import_rows (import_id, place, number, cells) values (1, 1, 2, '{a,b}');
    insert into import_parts values (1, 0, 'a,b');
    update deliveries set contact_id = 1 where id = 1;
    update contact_identities set used_at = now();
    insert into delivery_texts values (1, E'a\\\\b');
    insert into delivery_mentions (delivery_id, members, reached, phones) values (1, 3, 2, '{84912345678}');
    insert into group_mentions (instance_id, chat_id, day, delivery_id, run) values (1, '1@g.us', 20000, 1, 1);
    insert into provider_uploads (instance_id, name, media_id) values (1, 'a.png', 'media-1');
    insert into poll_results (instance_id, provider_message_id, delivery_id, voters, updated_at) values (1, 'm1', 1, '{"Yes": ["84912345678"]}', clock_now());
    insert into lists (name, kind, created_by_user_id, created_by_user_name) values (E'a\\b', 'fixed', 1, 'lan');
    insert into list_contacts values (1, 1);
    insert into list_users values (1, 1);
    insert into group_sets (instance_id, name, created_by_user_id, created_by_user_name) values (1, 'North', 1, 'lan');
    insert into group_set_groups values (1, 1);
    insert into group_set_users values (1, 1);
    insert into series (instance_id, name, job_type, rule, quiet_policy, overlap, recipients, author_id, author_name)
      values (1, 'Series', 'SendToGroups', '{}', 'move', 'skip', '{"groupIds": [1]}', 1, 'lan');
    insert into series_messages values (1, 0, 1);
    insert into job_reviews (job_id, what, by_user_name, words) select min(id), 'changes_asked', 'An', 'Shorter' from jobs;
    insert into recent_recipients (user_id, instance_id, at, recipients) select min(u.id), 1, clock_now(), 3 from users u;
    insert into series_lists values (1, 1, false);
    insert into series_group_sets values (1, 1);
    insert into series_runs (series_id, local_time, number, due_at, state, job_id)
      values (1, '2026-01-05T09:00', 1, now(), 'made', 1);
    insert into opt_outs (instance_id, is_for_all, source, said_at) values (1, true, 'message', now());
    insert into opted_out values ('phone', '84901234567', null, 1);
    insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
      values (1, '84901234567', 'contains', E'a\\b', 'm', now());
    insert into opt_ins values (1, 'm', '84901234567', null, now());
    insert into known_lids values ('111', '84901234567');
    insert into instance_people values (1, '84901234567', now(), array[now()], null);
    insert into number_checks (phone, answer) values ('84901234567', 'yes');
    insert into due_number_checks (instance_id, phone) values (1, '84901234567');
    insert into forgotten_opt_outs values ('\\x01', 0, now());
    insert into forget_requests (phone, identities, requested_by_user_name) values ('84905555555', '{phone 84905555555}', 'lan');
    insert into due_replies values (1, '84901234567', now());
    update deliveries set status = 'sending', intent = gen_random_uuid(), intent_at = now() where id = 1;
    update deliveries set reason = '{"code": "x", "params": {}}' where id = 2;
    update instances set claim = gen_random_uuid(), lease_until = now(), in_flight = 1;
    delete from deliveries where id = 3;
    insert into users (username, email, password_hash, role, is_active) values ('gone', 'gone', '', 'Member', true);
    delete from users where username = 'gone';`)
}

export async function addImage({ db, images }: Place, bytes: Buffer): Promise<{ id: number; name: string }> {
  const name = await images.put(bytes, 'png')
  return db.one(sql`
    insert into images (name, mime_type, size) values (${name}, 'image/png', ${bytes.length}) returning id, name`)
}

export async function addFile({ db, files }: Place, bytes: Buffer): Promise<string> {
  const name = newName('bin')
  const draft = await files.createDraft()
  await draft.write(bytes)
  await draft.finish()
  await files.keep(draft, name)
  await draft.close()
  await db.run(sql`
    insert into files (name, mime_type, size, sha256, kinds)
    values (${name}, 'application/octet-stream', ${bytes.length}, sha256(${bytes}), '{document}')`)
  return name
}

/** Returns every row of every table in `public` as text, and the last number of every sequence. */
export async function readAll(db: Pool): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const name of await tableNames(db)) {
    const rows = await db.many<{ row: string }>(sql`
      select t::text as row from ${identifier(name)} t order by t::text collate "C"`)
    all[name] = rows.map(({ row }) => row)
  }
  const sequences = await db.many<{ name: string; last: number }>(sql`
    select sequencename::text as name, last_value as last from pg_sequences where schemaname = 'public' order by 1`)
  all.sequences = sequences.map(({ name, last }) => `${name} ${last}`)
  return all
}

export async function tableNames(db: Pool): Promise<string[]> {
  const rows = await db.many<{ name: string }>(sql`
    select table_name::text as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`)
  return rows.map(({ name }) => name)
}
