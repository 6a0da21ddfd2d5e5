import { contract } from '@sendroom/contract'
import readXlsxFile from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { json, sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { jobs } = contract

async function fixture() {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id, recipients: [], textContent: 'Sale' })
  const group = await context.add.group({ instanceId: instance.id, name: 'Nhóm Ánh', participantCount: 9 })
  const failed = json({ code: 'not_on_whatsapp', params: {} })
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status, group_id, sent_at, delivered_at,
      read_at, delivered_members, read_members, reason)
    values (${id}, ${instance.id}, '84901111111@s.whatsapp.net', '=1+1', 'failed', null, null, null, null, 0, 0, ${failed}),
      (${id}, ${instance.id}, '1203@g.us', 'Nhóm Ánh', 'sent', ${group.id}, '2026-01-01T18:00:05.4Z',
        '2026-01-01T18:00:06Z', null, 4, 0, null),
      (${id}, ${instance.id}, '84902222222@s.whatsapp.net', 'Minh', 'doubt', null, null, null, null, 0, 0, null)`)
  return { id, member }
}

const head = ['Recipient', 'Number or group id', 'Result', 'Sent at (GMT+7)', 'Delivered at (GMT+7)']
const tail = ['Read at (GMT+7)', 'Members', 'Delivered to', 'Read by', 'Error']

//
test('the results of a job are exported in the order in which it sends, and the export is recorded', async () => {
  const { id, member } = await fixture()
  const { status, headers, raw } = await context.call(member, jobs.exportXlsx, { params: { id } })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe(jobs.exportXlsx.download)
  expect(headers['content-disposition']).toMatch(
    new RegExp(`^attachment; filename="Job_${id}_\\d{4}-\\d\\d-\\d\\d\\.xlsx"; `),
  )
  const [sheet] = await readXlsxFile(raw)
  expect(sheet?.data).toEqual([
    [...head, ...tail],
    [
      '=1+1',
      '84901111111',
      'Failed',
      ...Array.from({ length: 6 }, () => null),
      'This number is not on WhatsApp.',
    ],
    [
      'Nhóm Ánh',
      '1203@g.us',
      'Sent',
      '2026-01-02 01:00:05',
      '2026-01-02 01:00:06',
      null,
      '8',
      '4',
      '0',
      null,
    ],
    ['Minh', '84902222222', 'Waiting', ...Array.from({ length: 7 }, () => null)],
  ])
  const entries = await context.db.many(sql`
    select action, object_id, object_name, details from audit_log where object_id = ${id}`)
  expect(entries).toEqual([
    { action: 'job.export', objectId: id, objectName: 'Sale', details: { filter: {} } },
  ])
})

//
test('an export has what the filter and the search leave', async () => {
  const { id, member } = await fixture()
  const recipients = async (query: { outcome?: 'Sent' | 'Failed'; search?: string }) => {
    const { headers, raw } = await context.call(member, jobs.exportCsv, { params: { id }, query })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const lines = raw.toString().split('\r\n').slice(1, -1)
    return lines.map((line) => line.split(',').slice(0, 3).join())
  }
  expect(await recipients({ search: 'nhom anh' })).toEqual(['"Nhóm Ánh","1203@g.us","Sent"'])
  expect(await recipients({ outcome: 'Failed' })).toEqual([`"'=1+1","84901111111","Failed"`])
  expect(await recipients({ outcome: 'Sent', search: '849' })).toEqual([])
  const { details } = await context.db.one(sql`select details from audit_log order by id desc limit 1`)
  expect(details).toEqual({ filter: { outcome: 'Sent', search: '849' } })
})

test('an export of many pages has each recipient once', async () => {
  const { id, member } = await fixture()
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name)
    select id, instance_id, 'g' || n || '@g.us', 'Group ' || n from jobs, generate_series(1, 4000) n where id = ${id}`)
  const { raw } = await context.call(member, jobs.exportCsv, {
    params: { id },
    query: { outcome: 'Waiting' },
  })
  const names = raw
    .toString()
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0])
  expect(names).toEqual(['"Minh"', ...Array.from({ length: 4000 }, (_, n) => `"Group ${n + 1}"`)])
})
