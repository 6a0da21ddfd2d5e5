import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  addFile,
  addImage,
  fillEveryTable,
  readAll,
  tableNames,
  useBackups,
} from '../../test/backup-fixture.ts'
import { factories } from '../../test/factories.ts'
import { dumpSchema } from '../../test/schema-dump.ts'
import { scriptedProvider } from '../../test/scripted-provider.ts'
import { until } from '../../test/until.ts'
import { startWorker } from '../../test/worker.ts'
import { cancelJob, retryFailed } from '../engine/index.ts'
import { migrate, migrateWithin } from '../platform/database/migrate.ts'
import { identifier, sql } from '../platform/database/sql.ts'
import { keepImages, sweepImages } from '../platform/images/clean-up.ts'
import { createArchive, readArchive, writeArchive } from './archive.ts'
import { explain } from './command.ts'
import { EXCLUDED, type Table } from './manifest.ts'
import { checksumOf, type Part, packTar } from './tar.ts'

const backups = useBackups()

async function partsOf(file: string): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of readArchive(file)) parts.push(part)
  return parts
}

/** Writes the parts with checksums that match. */
async function write(file: string, parts: Part[]) {
  await writeArchive(
    await createArchive(file),
    (async function* () {
      yield* parts
    })(),
    new AbortController().signal,
  )
  return file
}

async function manifestOf(file: string) {
  const [first] = await partsOf(file)
  return JSON.parse(String(first?.bytes))
}

/** Backs up an installation with rows in every table, and changes the file's parts. */
async function writeChanged(change: (parts: Part[]) => Part[]): Promise<string> {
  const source = await backups.open('tpl')
  await fillEveryTable(source)
  await source.backUp(backups.file())
  return write(backups.file('changed'), change(await partsOf(backups.file())))
}

const changeManifest = (change: (manifest: { format: number; migrations: object[] }) => object) =>
  writeChanged(([first, ...rest]) => [
    { name: 'sendroom.json', bytes: Buffer.from(JSON.stringify(change(JSON.parse(String(first?.bytes))))) },
    ...rest,
  ])

/** The header of a part, with another field and, unless that is the checksum itself, with the checksum that matches. */
async function craftedHeader(field: string, at: number): Promise<Buffer> {
  const parts = (async function* () {
    yield { name: 'sendroom.json', bytes: Buffer.of() }
  })()
  const { value: header } = await packTar(parts).next()
  header.write(`${field}\0`, at)
  if (at !== 148) header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const crafted = (name: string): [string, (parts: Part[]) => Part[], string] => [
  `with a part ${name}`,
  (parts) => [...parts, { name, bytes: Buffer.from('x') }],
  'does not belong',
]

const setSequence = (tables: Table[], last: number) => {
  for (const { sequence } of tables) if (sequence) sequence.last = last
}

describe('a backup', () => {
  // R-711, R-1323, R-2019
  test('is restored row by row, image by image, with paused jobs, without sessions and what waited to be sent', async () => {
    const source = await backups.open('tpl')
    await fillEveryTable(source)
    const { name } = await addImage(source, Buffer.alloc(3_000_000, 'image'))
    await source.backUp(backups.file())
    const before = await readAll(source.db)
    // Otherwise the comparison proves nothing.
    for (const table of await tableNames(source.db)) expect(before[table], table).not.toEqual([])

    const target = await backups.open('template0')
    await target.restore(backups.file())
    const paused = await target.db.many<{ id: number; isNew: boolean }>(sql`
      select id, paused_at > '2026-01-03' as is_new from jobs where paused_at is not null order by id`)
    expect(paused).toEqual([
      { id: 1, isNew: true },
      { id: 2, isNew: false },
    ])
    expect(await target.db.many(sql`select job_id, log_level, reason from job_logs where id > 1`)).toEqual([
      { jobId: 1, logLevel: 'Info', reason: { code: 'job_paused_by_restore', params: {} } },
    ])
    expect(await target.db.many(sql`select state, paused_reason->>'code' as why from series`)).toEqual([
      { state: 'paused', why: 'series_paused_by_restore' },
    ])
    const entry = { userName: '', action: 'backup.restore' }
    expect(
      await target.db.many(sql`
        select user_name, action, details->>'by' as by, details->'jobs' as jobs from audit_log where id > 1`),
    ).toEqual([{ ...entry, by: 'command', jobs: 1 }])
    for (const table of ['sessions', 'sign_in_tickets', 'backups', 'disks', 'import_parts'])
      expect(await target.db.many(sql`select from ${identifier(table)}`)).toEqual([])

    // The event that was not queued yet, and the one that waited.
    expect(await target.db.many(sql`select dropped from webhook_receivers`)).toEqual([{ dropped: 2 }])

    const eras = async ({ db }: typeof source) => (await db.one(sql`select current_era() as era`)).era
    expect(await eras(target)).not.toBe(await eras(source))

    // The rest is the same.
    await target.db.script(`
      update jobs set paused_at = null where id = 1;
      update series set state = 'active', paused_reason = null;
      delete from job_logs where id > 1;
      delete from audit_log where id > 1;`)
    await source.db.script(`
      delete from sessions; delete from sign_in_tickets; truncate backups restart identity; delete from disks;
      delete from webhook_events; delete from webhook_queue; update webhook_receivers set dropped = 2;
      delete from due_emails; update notices set email_due = false;
      delete from audit_log where id > 1; truncate sessions restart identity;`)
    const [was, is] = [await readAll(source.db), await readAll(target.db)]
    const withoutTimes = (rows: string[] = []) => rows.map((row) => row.replace(/,"[^"]*",/, ','))
    expect({ ...is, migrations: withoutTimes(is.migrations) }).toEqual({
      ...was,
      heartbeat: is.heartbeat,
      import_parts: [],
      migrations: withoutTimes(was.migrations),
      sequences: was.sequences?.map((line) => line.replace('job_logs_id_seq 1', 'job_logs_id_seq 2')),
    })
    expect(await dumpSchema(target.db)).toBe(await dumpSchema(source.db))
    for (const image of await source.db.many<{ name: string }>(sql`select name from images`))
      expect(await target.images.read(image.name)).toEqual(await source.images.read(image.name))
    expect((await target.images.read(name))?.bytes.length).toBe(3_000_000)
  })

  test('has every table of schema.sql, or names it as excluded', async () => {
    const source = await backups.open('tpl')
    await source.backUp(backups.file())
    const schema = readFileSync(join(import.meta.dirname, '../../schema.sql'), 'utf8')
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name)
    const { tables: saved } = await manifestOf(backups.file())
    expect(saved.map(({ name }: { name: string }) => name).sort()).toEqual(
      tables.filter((name) => !EXCLUDED.includes(name ?? '')),
    )
  })

  test('is one snapshot, although rows are written and images are cleaned up meanwhile', async () => {
    const source = await backups.open('tpl')
    const add = factories(source.db, await source.openSecrets())
    await add.job({ recipients: ['before@c.us'] })
    const { name } = await addImage(source, Buffer.from('unused'))
    await source.db.run(sql`update images set unused_since = now() - interval '2 hours'`)
    const file = backups.file()
    const saving = await source.db.begin(async (tx) => {
      await tx.run(sql`lock table deliveries in access exclusive mode`)
      const backup = source.backUp(file)
      backup.catch(() => {}) // the test awaits it below
      await until('the backup waits in the middle of the tables', async () => {
        const { waits } = await source.db.one<{ waits: boolean }>(sql`
          select exists (select from pg_stat_activity where datname = current_database()
            and application_name = 'sendroom backup' and wait_event_type = 'Lock') as waits`)
        return waits
      })
      // A kill would leave this row behind.
      expect(await tx.many(sql`select finished_at from backups`)).toEqual([{ finishedAt: null }])
      await tx.run(
        sql`insert into deliveries (job_id, instance_id, chat_id, recipient_name) values (1, 1, 'x', 'x')`,
      )
      await tx.run(sql`update jobs set recipient_count = 2`)
      await sweepImages(source.db, source.images)
      return { backup }
    })
    await saving.backup
    const target = await backups.open('template0')
    await target.restore(file)
    expect(await target.db.one(sql`select recipient_count from jobs`)).toEqual({ recipientCount: 1 })
    expect(await target.db.many(sql`select chat_id from deliveries`)).toEqual([{ chatId: 'before@c.us' }])
    expect(await target.images.read(name)).not.toBeNull()
  })

  test('keeps rows whole that are larger than a part', async () => {
    const source = await backups.open('tpl')
    const add = factories(source.db, await source.openSecrets())
    const { id } = await add.job({ recipients: ['1@c.us'] })
    for (const line of ['line\n'.repeat(100_000), 'word '.repeat(20_000), 'word '.repeat(40_000), 'end'])
      await source.db.run(sql`
        insert into job_logs (job_id, log_level, reason) values (${id}, 'Info', to_jsonb(${line}::text))`)
    await source.backUp(backups.file())
    const parts = (await partsOf(backups.file())).filter(({ name }) => name.startsWith('tables/job_logs.'))
    expect(parts.length).toBeGreaterThan(1)
    const target = await backups.open('template0')
    await target.restore(backups.file())
    const lines = sql`select md5(reason::text) from job_logs where id <= 4 order by id`
    expect(await target.db.many(lines)).toEqual(await source.db.many(lines))
  })

  test('can only be read by its owner, and leaves an entry in the audit log', async () => {
    const source = await backups.open('tpl')
    await source.openSecrets()
    await source.backUp(backups.file())
    expect((await stat(backups.file())).mode & 0o777).toBe(0o600)
    expect(await source.db.many(sql`select action, details from audit_log`)).toEqual([
      { action: 'backup.create', details: { by: 'command', withKey: false } },
    ])
    expect(
      await source.db.many(sql`select error, finished_at >= started_at as has_ended from backups`),
    ).toEqual([{ error: null, hasEnded: true }])
  })

  test('has the key only on request', async () => {
    const source = await backups.open('tpl')
    const secrets = await source.openSecrets()
    const sealed = secrets.encrypt('token')
    await source.backUp(backups.file('without'))
    await source.backUp(backups.file('with'), { withKey: true })
    const key = readFileSync(join(source.dataDir, 'secret.key'), 'utf8')
    const hasKey = async (file: string) =>
      (await partsOf(file)).some(({ bytes }) => bytes.includes(key.trim()))
    expect(await hasKey(backups.file('without'))).toBe(false)
    expect(await hasKey(backups.file('with'))).toBe(true)

    const keyless = await backups.open('template0')
    await keyless.restore(backups.file('without'))
    expect(keyless.said.at(-1)).toContain('The encryption key is missing.')
    await expect(keyless.openSecrets()).rejects.toThrow('The encryption key is missing')
    await writeFile(join(dirname(keyless.dataDir), 'key'), key)

    const target = await backups.open('template0')
    await target.restore(backups.file('with'))
    expect(target.said.join(' ')).not.toContain('key')
    expect((await target.openSecrets()).decrypt(sealed)).toBe('token')
  })

  test('names the images and files that are missing', async () => {
    const source = await backups.open('tpl')
    await addImage(source, Buffer.from('here'))
    const { name } = await addImage(source, Buffer.from('lost'))
    await source.images.remove(name)
    const file = await addFile(source, Buffer.from('lost too'))
    await source.files.remove(file)
    await source.backUp(backups.file())
    expect(source.said).toContain(`Not in it, because they are missing: ${name}, ${file}.`)
  })

  // R-1763
  test('has the files in pieces, and restores them', async () => {
    const source = await backups.open('tpl')
    const large = randomBytes((5 << 20) + 3)
    const names = [
      await addFile(source, large),
      await addFile(source, Buffer.from('small')),
      await addFile(source, large.subarray(0, 1 << 20)),
    ]
    await source.backUp(backups.file())
    const parts = await partsOf(backups.file())
    const target = await backups.open('template0')
    await target.restore(backups.file())

    const sizes = parts.filter(({ name }) => name.startsWith('files/')).map(({ bytes }) => bytes.length)
    const piece = 1 << 20
    expect(sizes).toEqual([...Array(5).fill(piece), 3, 5, piece])
    const read = async (name: string) => {
      const opened = await target.files.openFile(name)
      return opened && buffer(opened.stream)
    }
    expect(await read(names[0] ?? '')).toEqual(large)
    expect(await read(names[1] ?? '')).toEqual(Buffer.from('small'))
    expect(await read(names[2] ?? '')).toEqual(large.subarray(0, 1 << 20))
    expect((await readdir(join(target.dataDir, 'files'))).filter((name) => name.endsWith('.part'))).toEqual(
      [],
    )
  })

  test('keeps the files of images that it has yet to read', async () => {
    const source = await backups.open('tpl')
    const { name } = await addImage(source, Buffer.from('unused'))
    await source.db.run(sql`update images set unused_since = now() - interval '2 hours'`)
    const backup = source.db.dedicated()
    await keepImages(backup)
    await sweepImages(source.db, source.images)
    expect(await source.images.read(name)).not.toBeNull()
    await backup.end()
    await until('the image is deleted', async () => {
      await sweepImages(source.db, source.images)
      return (await source.images.read(name)) === null
    })
  })

  test('holds no snapshot while it copies the images, so that vacuum can go on', async () => {
    const source = await backups.open('tpl')
    const { name } = await addImage(source, Buffer.from('slow'))
    const path = join(source.dataDir, 'images', name)
    await rm(path)
    // Reading a pipe waits until somebody writes to it.
    execFileSync('mkfifo', [path])
    const saving = source.backUp(backups.file())
    saving.catch(() => {}) // awaited below
    await until('the images are copied', () => source.said.includes('Saving the images and the files.'))
    await until('no transaction is open', async () => {
      const { isOpen } = await source.db.one<{ isOpen: boolean }>(sql`
        select exists (select from pg_stat_activity where datname = current_database()
          and application_name = 'sendroom backup' and (xact_start is not null or backend_xmin is not null)) as is_open`)
      return !isOpen
    })
    // The lock lasts: no image of the backup is deleted.
    await source.db.run(sql`update images set unused_since = now() - interval '2 hours'`)
    await sweepImages(source.db, source.images)
    expect(existsSync(path)).toBe(true)
    await writeFile(path, 'slow')
    await saving
    const target = await backups.open('template0')
    await target.restore(backups.file())
    expect(String((await target.images.read(name))?.bytes)).toBe('slow')
  })

  //
  test('does not replace a file, and leaves nothing when it is stopped', async () => {
    const source = await backups.open('tpl')
    await source.openSecrets()
    await writeFile(backups.file('old'), 'old')
    await expect(source.backUp(backups.file('old'))).rejects.toThrow('old exists already. Name a new file.')
    await writeFile(backups.file('other.part'), 'written by another')
    await expect(source.backUp(backups.file('other'))).rejects.toThrow('another backup is writing the file')
    expect(readFileSync(backups.file('other.part'), 'utf8')).toBe('written by another')
    await expect(source.backUp(backups.file('no/folder'))).rejects.toThrow('no does not exist.')
    source.stop()
    await expect(source.backUp(backups.file())).rejects.toThrow('Stopped before the end.')
    expect((await readdir(dirname(backups.file()))).sort()).toEqual(['data-0', 'old', 'other.part'])
    const outcomes = await source.db.many<{ error: string }>(sql`select error from backups order by id`)
    expect(outcomes.map(({ error }) => error.replace(/^.*\//, ''))).toEqual([
      'old exists already. Name a new file.',
      expect.stringContaining('another backup is writing the file'),
      'no does not exist.',
      'Stopped before the end. The backup or the restore has not happened.',
    ])
  })

  test('says when the disk is full', () => {
    const { signal } = new AbortController()
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
    expect(explain(full, '/disk/file', { signal })).toMatchObject({
      name: 'StartupError',
      message: 'The disk with /disk/file is full. Free some space and try again.',
    })
  })

  test('is not made of a database that a newer Sendroom has used, or that is none of ours', async () => {
    const source = await backups.open('tpl')
    await source.db.run(sql`insert into migrations (name, checksum) values ('9999-newer.sql', 'x')`)
    await expect(source.backUp(backups.file())).rejects.toThrow(
      'another version of Sendroom (migration 9999-newer.sql)',
    )
    const empty = await backups.open('template0')
    await expect(empty.backUp(backups.file())).rejects.toThrow('The database has no tables of Sendroom.')
    expect(existsSync(`${backups.file()}.part`)).toBe(false)
  })
})

describe('a restore', () => {
  // The messages after the backup are in the provider's history only.
  test('with a paused job cancelled, another job, send to remaining: nobody gets a message twice', async () => {
    const source = await backups.open('tpl')
    const secrets = await source.openSecrets()
    const add = factories(source.db, secrets)
    const recipients = Array.from({ length: 40 }, (_, n) => `${n}@g.us`)
    const { id: instanceId } = await add.instance({ groupPauseFromMs: 0, groupPauseToMs: 0 })
    const job = await add.job({ instanceId, status: 'Running', recipients, textContent: 'Hello' })
    await source.backUp(backups.file())
    const { provider, accept, ledger, calls } = scriptedProvider()
    for (const to of recipients.slice(0, 29)) accept({ token: 'any', to, text: 'Hello', mediaId: null })
    const target = await backups.open('template0')
    await target.restore(backups.file())
    const { db } = target
    const other = await factories(db, secrets).job({
      instanceId,
      status: 'Running',
      recipients: ['other@g.us'],
    })
    const untilCompleted = (id: number) =>
      until(`job ${id} is Completed`, async () => {
        const { status } = await db.one<{ status: string }>(sql`select status from jobs where id = ${id}`)
        return status === 'Completed'
      })
    expect(await db.begin((tx) => cancelJob(tx, job.id, 'Ann'))).toBe('done')
    const log = { info() {}, warn() {}, error() {} }
    const openMedia = async () => null
    const engine = startWorker({ db, log, secrets, openMedia, providers: { live: provider, test: provider } })
    try {
      await untilCompleted(other.id)
      expect(await db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))).toBe('done')
      await untilCompleted(job.id)
    } finally {
      await engine.stop()
    }
    const sentTo = ledger.map(({ to }) => to)
    expect(sentTo.sort()).toEqual([...recipients, 'other@g.us'].sort())
    expect(calls.histories).toBe(1)
  })

  test('brings an older backup up to date', async () => {
    const source = await backups.open('template0')
    await source.db.begin((tx) => migrateWithin(tx, '0033-schema.sql'))
    await source.db.script(`
      insert into installation (secret_check) values ('x');
      insert into users (username, email, password_hash, role, is_active) values ('lan', 'l@x', 'h', 'Admin', true)`)
    await source.backUp(backups.file())

    const target = await backups.open('template0')
    await target.restore(backups.file())
    expect(await target.db.many(sql`select username from users`)).toEqual([{ username: 'lan' }])
    expect(await dumpSchema(target.db)).toBe(await dumpSchema((await backups.open('tpl')).db))
  })

  test('leaves triggers that work', async () => {
    const source = await backups.open('tpl')
    await fillEveryTable(source)
    await source.backUp(backups.file())
    const target = await backups.open('template0')
    await target.restore(backups.file())
    const counts = sql`select coalesce(sum(sent_now), 0) as sent from delivery_changes`
    const { sent } = await target.db.one<{ sent: number }>(counts)
    await target.db.run(sql`update deliveries set status = 'sent' where id = 1`)
    expect(await target.db.one(counts)).toEqual({ sent: sent + 1 })
    expect(await target.db.many(sql`select from pg_trigger where tgenabled <> 'O'`)).toEqual([])
  })

  test('refuses a database that is not empty, and changes nothing in it', async () => {
    const source = await backups.open('tpl')
    await source.openSecrets()
    await source.backUp(backups.file())
    await expect(source.restore(backups.file())).rejects.toThrow(
      'The database in DATABASE_URL is not empty. Restore into a new database.',
    )
    const target = await backups.open('template0')
    await target.db.script('create table of_another_program (id int)')
    await expect(target.restore(backups.file())).rejects.toThrow('is not empty')
    expect(await tableNames(target.db)).toEqual(['of_another_program'])
  })

  test('refuses a file that was cut off or altered, before anything is written', async () => {
    const source = await backups.open('tpl')
    await fillEveryTable(source)
    await source.backUp(backups.file())
    const whole = readFileSync(backups.file())
    const target = await backups.open('template0')
    const damaged = backups.file('damaged')
    const lengths = [0, 1, 9, 500, Math.floor(whole.length / 2), whole.length - 8, whole.length - 1]
    const flips = Array.from({ length: 40 }, (_, n) => 10 + Math.floor((n * (whole.length - 10)) / 40))
    const files = [
      ...lengths.map((length) => whole.subarray(0, length)),
      ...flips.map((at) => Buffer.from(whole).fill((whole[at] ?? 0) ^ 4, at, at + 1)),
      Buffer.from('a letter'),
    ]
    // Some bits only fill up a byte of the compressed text. A flip of one changes nothing.
    const content = gunzipSync(whole)
    const isUnharmed = (bytes: Buffer) => {
      try {
        return gunzipSync(bytes).equals(content)
      } catch {
        return false
      }
    }
    for (const bytes of files.filter((file) => !isUnharmed(file))) {
      await writeFile(damaged, bytes)
      await expect(target.restore(damaged)).rejects.toThrow(
        /^The file .* is damaged, or no backup of Sendroom: /,
      )
    }
    expect(await tableNames(target.db)).toEqual([])
    await expect(target.restore(backups.file('absent'))).rejects.toThrow('absent does not exist.')
  })

  test.each<[string, (parts: Part[]) => Part[], string]>([
    [
      'without a part',
      (parts) => parts.filter(({ name }) => !name.includes('deliveries')),
      'rows of deliveries',
    ],
    ['without its description', ([, ...parts]) => parts, 'does not belong there'],
    [
      'with a strange part',
      (parts) => [...parts, { name: 'images/../x', bytes: Buffer.of() }],
      'does not belong',
    ],
    [
      'with an image of another name',
      (parts) => [...parts, { name: 'images/..', bytes: Buffer.of() }],
      'does not belong',
    ],
    // R-1763
    ...[
      'files/../secret.key.000001',
      `files/${'0'.repeat(32)}.exe.000001`,
      `files/${'0'.repeat(32)}.pdf.000002`,
      `files/${'0'.repeat(32)}.pdf`,
      `files/${'é'.repeat(32)}.pdf.000001`,
    ].map(crafted),
    ['with nothing', () => [], 'it is empty'],
  ])('refuses a file %s', async (_, change, reason) => {
    const target = await backups.open('template0')
    await expect(target.restore(await writeChanged(change))).rejects.toThrow(reason)
    expect(await tableNames(target.db)).toEqual([])
  })

  // R-1763
  test('refuses a file whose pieces are mixed, and keeps none of them', async () => {
    const [a, b] = ['a', 'b'].map((letter) => `files/${letter.repeat(32)}.pdf`)
    const names = [`${a}.000001`, `${b}.000001`, `${a}.000002`]
    const file = await writeChanged((parts) => [
      ...parts,
      ...names.map((name) => ({ name, bytes: Buffer.from('x') })),
    ])
    const target = await backups.open('template0')
    await expect(target.restore(file)).rejects.toThrow('does not belong')
    expect(existsSync(join(target.dataDir, 'files'))).toBe(false)
  })

  test('refuses a file whose rows do not match their checksums', async () => {
    const source = await backups.open('tpl')
    await fillEveryTable(source)
    await source.backUp(backups.file())
    const tar = gunzipSync(readFileSync(backups.file()))
    tar.write('Running'.toUpperCase(), tar.indexOf('Running'))
    await writeFile(backups.file('altered'), gzipSync(tar))
    const target = await backups.open('template0')
    await expect(target.restore(backups.file('altered'))).rejects.toThrow('its checksums do not match')
  })

  test.each([
    ['a negative size', 124, '-0000000001'],
    ['the largest size', 124, '77777777777'],
    ['a size that is no number', 124, '9e9'],
    ['a symbolic link', 156, '2'],
    ['a checksum that is no number', 148, '0x1F00'],
  ])('refuses a file with a header of %s', async (_, at, field) => {
    await writeFile(backups.file(), gzipSync(await craftedHeader(field, at)))
    const target = await backups.open('template0')
    await expect(target.restore(backups.file())).rejects.toThrow(/damaged, .*: a header is not valid\.$/)
  })

  test('refuses a file that decompresses without end', async () => {
    const header = await craftedHeader('00400000000', 124) // 64 MB
    await writeFile(backups.file(), gzipSync(Buffer.concat([header, Buffer.alloc(1 << 27)])))
    const target = await backups.open('template0')
    await expect(target.restore(backups.file())).rejects.toThrow('a header is not valid')
  })

  test.each<[string, (manifest: { tables: Table[] }) => void]>([
    ['a table twice', ({ tables }) => void tables.push({ ...(tables[0] as Table), rows: 0 })],
    ['a column twice', ({ tables }) => tables[0]?.columns.push(tables[0].columns[0] ?? '')],
    ['numbers beyond their range', ({ tables }) => setSequence(tables, -1)],
  ])('refuses a file that names %s', async (_, craft) => {
    const crafted = await changeManifest((manifest) => {
      craft(manifest as never)
      return manifest
    })
    const target = await backups.open('template0')
    await expect(target.restore(crafted)).rejects.toThrow(
      /^The file .* is damaged, or no backup of Sendroom: /,
    )
    expect(await tableNames(target.db)).toEqual([])
  })

  test('refuses a file of an early Sendroom', async () => {
    const target = await backups.open('template0')
    const early = await changeManifest((manifest) => ({
      ...manifest,
      migrations: [{ name: '0009-audit-log.sql', checksum: 'x' }],
    }))
    await expect(target.restore(early)).rejects.toThrow(
      'The backup was made by an early version of Sendroom. Restore it with the version that has migration 0032-deliveries-reason.sql, and make a new backup with that one.',
    )
  })

  test('refuses a file of a newer Sendroom', async () => {
    const target = await backups.open('template0')
    const later = await changeManifest((manifest) => ({
      ...manifest,
      migrations: [...manifest.migrations, { name: '9999-newer.sql', checksum: 'x' }],
    }))
    await expect(target.restore(later)).rejects.toThrow(
      'The backup was made by a newer version of Sendroom (migration 9999-newer.sql). Restore it with that version.',
    )
  })

  test.each([
    ['a session', 'sessions', ['user_id', 'token_hash', 'expires_at']],
    ['an unknown table', 'pg_authid', ['rolname']],
    ['an unknown column', 'users', ['id', 'is_god']],
    ['a generated column', 'audit_log', ['id', 'search_text']],
  ])('refuses a crafted file with %s', async (_, name, columns) => {
    const crafted = await writeChanged(([first, ...rest]) => {
      const manifest = JSON.parse(String(first?.bytes))
      manifest.tables = manifest.tables.filter((table: { name: string }) => table.name !== name)
      manifest.tables.push({ name, columns, rows: 1, sequence: null })
      const others = rest.filter((part) => !part.name.startsWith(`tables/${name}.`))
      const row = { name: `tables/${name}.000001.copy`, bytes: Buffer.from('1\n') }
      return [{ name: 'sendroom.json', bytes: Buffer.from(JSON.stringify(manifest)) }, row, ...others]
    })
    const target = await backups.open('template0')
    await expect(target.restore(crafted)).rejects.toThrow('does not belong there')
    expect(await tableNames(target.db)).toEqual([])
  })

  test('refuses rows of a table that the description does not name', async () => {
    const crafted = await writeChanged((parts) => [
      ...parts,
      { name: 'tables/sessions.000001.copy', bytes: Buffer.from('1\n') },
    ])
    const target = await backups.open('template0')
    await expect(target.restore(crafted)).rejects.toThrow('does not belong there')
  })

  test('refuses a newer format, whatever it says of itself', async () => {
    const target = await backups.open('template0')
    const later = await changeManifest(() => ({ format: 3 }))
    await expect(target.restore(later)).rejects.toThrow('a newer version of Sendroom (format 3)')
  })

  test('leaves the database empty if it fails in the middle', async () => {
    const changed = await writeChanged((parts) =>
      parts.map((part) =>
        part.name.startsWith('tables/jobs') ? { ...part, bytes: Buffer.from('1\n'.repeat(4)) } : part,
      ),
    )
    const target = await backups.open('template0')
    await expect(target.restore(changed)).rejects.toThrow(
      /^The file .* is damaged, .*: missing data for column/,
    )
    expect(await tableNames(target.db)).toEqual([])
    await target.restore(backups.file())
    expect(await tableNames(target.db)).toContain('jobs')
  })

  test('does not replace the key of another installation', async () => {
    const source = await backups.open('tpl')
    await source.openSecrets()
    await source.backUp(backups.file(), { withKey: true })
    const other = await backups.open('tpl')
    await other.openSecrets()
    await expect(other.restore(backups.file())).rejects.toThrow(
      `The key in ${join(other.dataDir, 'secret.key')} is not the key in the backup.`,
    )
  })

  test('lets no other process migrate the database meanwhile', async () => {
    const source = await backups.open('tpl')
    await fillEveryTable(source)
    await source.backUp(backups.file())
    const target = await backups.open('template0')
    const restoring = target.restore(backups.file())
    await until('the restore has begun', () => target.said.length > 0)
    const results = await Promise.allSettled([restoring, migrate(target.db)])
    // Whoever is first, the other finds a whole database.
    const { count } = await target.db.one<{ count: number }>(sql`select count(*) from users`)
    expect(count > 0).toBe(results[0].status === 'fulfilled')
    expect(results[1].status).toBe('fulfilled')
  })
})
