import type { contract } from '@sendroom/contract'
import { sql, values } from '../../src/platform/database/sql.ts'
import { context, type Fixture } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of imports. A Member sees their own, which belong to no instance unless the instance is its source.

const managers = (status: number): Statuses => [401, 401, status, 403, status, status]

async function addImport({ user, somebody }: Fixture, columns: object = {}) {
  const owner = user ?? somebody
  const row = { source: 'groups', userId: owner.id, userName: owner.username, status: 'checked', ...columns }
  const { id } = await context.db.one<{ id: number }>(sql`insert into imports ${values(row)} returning id`)
  return of(id)
}

const started = { startedAt: '2026-01-01T00:00:00Z', known: 'keep' }
/** A day from now, in the database's clock, it can still be undone. */
const done = { ...started, status: 'done', endedAt: sql`clock_now()`, rows: 1, refused: 1 }

function fileForm(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['name,phone\nLan,0901234567\n']), 'people.csv')
  return form
}

async function addFile(fixture: Fixture) {
  const { params } = await addImport(fixture, { source: 'file', status: 'checked' })
  await context.db.run(sql`
    insert into import_parts (import_id, place, bytes) values (${params.id}, 0, ${Buffer.from('phone\n0901234567\n')})`)
  return { params, body: { country: 'VN' } }
}

export const importRows: RowsOf<typeof contract.imports> = {
  list: [managers(200), () => ({})],
  get: [managers(200), addImport],
  preview: [managers(200), addImport],
  upload: [managers(201), () => ({ body: fileForm() })],
  fromInstance: [[401, 401, 400, 403, 201, 201], ({ instanceId }) => ({ body: { instanceId } })],
  read: [managers(200), addFile],
  start: [
    managers(200),
    async (fixture) => ({
      ...(await addImport(fixture, { source: 'file' })),
      body: { known: 'keep', consent: 'They asked for it' },
    }),
  ],
  undo: [managers(200), (fixture) => addImport(fixture, done)],
  remove: [managers(204), addImport],
  problems: [managers(200), (fixture) => addImport(fixture, done)],
}
