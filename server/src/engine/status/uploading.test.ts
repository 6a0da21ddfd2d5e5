import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import { isStuck, whyAllWait } from './trouble.ts'

const context = useEngineContext()

// R-1772
test.each([
  ['due', 'upload_put_off'],
  ['ended', 'pause_between'],
])('after a failed upload, with another job %s, the page says %s', async (others, reason) => {
  const startedAt = new Date(Date.now() - 180_000).toISOString()
  const { id: instanceId } = await context.add.instance({
    lastIntentAt: startedAt,
    nextDueAt: new Date(Date.now() + 60_000).toISOString(),
  })
  const file = await context.add.file()
  const withFile = await context.add.job({
    ...{ instanceId, status: 'Running', startedAt, fileId: file.id },
    content: JSON.stringify({ kind: 'document', fileName: 'a.pdf' }),
  })
  if (others === 'due') await context.add.job({ instanceId, status: 'Running', startedAt })
  await context.db.run(
    sql`update jobs set last_turn_at = clock_now() + interval '18 minutes' where id = ${withFile.id}`,
  )

  const waits = await whyAllWait(context.db, [withFile.id])

  expect(waits.get(withFile.id)?.waiting?.code).toBe(reason)
})

// R-1660
test.each([
  ['while a worker uploads', '10 seconds', ['uploading_file', 'taking_turns'], []],
  ['without a worker', '-1 second', [undefined, undefined], ['file', 'text']],
])('%s a file for minutes, the page of a job says %s', async (_name, lease, reasons, stuck) => {
  const startedAt = new Date(Date.now() - 180_000).toISOString()
  const { id: instanceId } = await context.add.instance({ lastIntentAt: startedAt })
  const file = await context.add.file()
  const withFile = await context.add.job({
    ...{ instanceId, status: 'Running', startedAt, name: 'file', fileId: file.id },
    content: JSON.stringify({ kind: 'document', fileName: 'a.pdf' }),
  })
  const other = await context.add.job({ instanceId, status: 'Running', startedAt, name: 'text' })
  await context.db.run(sql`
    update instances set claim = gen_random_uuid(), lease_until = clock_now() + ${lease}::interval
    where id = ${instanceId}`)

  const waits = await whyAllWait(context.db, [withFile.id, other.id])

  expect([withFile, other].map(({ id }) => waits.get(id)?.waiting?.code)).toEqual(reasons)
  const found = await context.db.many<{ name: string }>(sql`
    select j.name from jobs j join instances i on i.id = j.instance_id where ${isStuck} order by j.name`)
  expect(found.map(({ name }) => name)).toEqual(stuck)
})
