import { contract } from '@sendroom/contract'
import readXlsxFile from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import { addPollJob, OPTIONS } from '../../../test/poll-job.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { sql } from '../../platform/database/sql.ts'

const simulated = useSimulator()
const context = useSharedContext({ providers: simulated.providers })
const { jobs } = contract
const pollJob = (groups?: number) => addPollJob(context, groups)

// R-1632
test('the results of a poll are added up over all recipients, in the order of its options', async () => {
  const { member, job, vote } = await pollJob(3)
  const params = { params: { id: job.id } }
  expect((await context.call(member, jobs.poll, params)).body).toEqual({
    options: OPTIONS.map((name) => ({ name, votes: 0 })),
    messages: 0,
    people: 0,
    updatedAt: null,
  })

  await vote({ Chiều: ['1', '2', '3'], Sáng: ['1'] })
  await vote({ Chiều: ['4'], 'an option that nobody wrote': ['5'] }, 1)

  const { status, body } = await context.call(member, jobs.poll, params)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    options: [
      { name: 'Sáng', votes: 1 },
      { name: 'Chiều', votes: 4 },
      { name: 'an option that nobody wrote', votes: 1 },
    ],
    messages: 2,
    people: 5,
  })
  expect(Date.parse(body.updatedAt ?? '')).toBeGreaterThan(0)
})

test('only a poll has results', async () => {
  const { instance, member } = await context.add.memberWithInstance()
  const { id } = await context.add.job({ instanceId: instance.id })
  expect((await context.call(member, jobs.poll, { params: { id } })).status).toBe(404)
})

// R-1632
test('a restart begins without results', async () => {
  const { member, job, vote } = await pollJob()
  await vote({ Sáng: ['1'] })
  await context.db.run(
    sql`update deliveries set status = 'queued', provider_message_id = null where job_id = ${job.id}`,
  )
  const { body } = await context.call(member, jobs.poll, { params: { id: job.id } })
  expect(body).toMatchObject({ messages: 0, updatedAt: null, options: [{ votes: 0 }, { votes: 0 }] })
})

// R-1633
test('each recipient has its counts, in the list and in the export', async () => {
  const { member, job, vote } = await pollJob()
  await vote({ Sáng: ['1', '2'], Chiều: [] })
  const params = { id: job.id }

  const { body } = await context.call(member, jobs.recipients, { params, query: {} })
  expect(body.data.map(({ votes }) => votes && { ...votes.counts })).toEqual([{ Sáng: 2, Chiều: 0 }, null])

  const { raw } = await context.call(member, jobs.exportXlsx, { params, query: {} })
  const [sheet] = await readXlsxFile(raw)
  expect(sheet?.data.map((row) => row.slice(10))).toEqual([
    ['Sáng', 'Chiều', 'Votes updated at (GMT+7)'],
    ['2', '0', expect.stringMatching(/^20\d\d-/)],
    [null, null, null],
  ])
  const csv = await context.call(member, jobs.exportCsv, { params, query: {} })
  expect(csv.raw.toString()).toContain('"Error","Sáng","Chiều","Votes updated at (GMT+7)"')
})

// R-1634
test('the voters of a group are listed by name and by option, and that is recorded', async () => {
  const { member, job, first, vote } = await pollJob()
  await context.db.run(sql`
    insert into participants (group_id, rank, person_id, name)
    select group_id, 'member', '842', 'An' from deliveries where id = ${first}`)
  await vote({ Sáng: ['841', '842', '99@lid'], Chiều: ['842'] })
  const params = { id: job.id, recipientId: first }

  const { body } = await context.call(member, jobs.voters, { params, query: {} })
  expect(body.data).toEqual([
    { personId: '842', name: 'An', options: ['Chiều', 'Sáng'] },
    { personId: '841', name: null, options: ['Sáng'] },
    { personId: '99@lid', name: null, options: ['Sáng'] },
  ])
  const chosen = await context.call(member, jobs.voters, { params, query: { option: 'Chiều' } })
  expect(chosen.body.data.map(({ personId }) => personId)).toEqual(['842'])
  const second = await context.call(member, jobs.voters, { params, query: { page: 2, pageSize: 2 } })
  expect(second.body).toMatchObject({ data: [{ personId: '99@lid' }], pagination: { totalCount: 3 } })
  const { entries } = await context.db.one<{ entries: number }>(sql`
    select count(*) as entries from audit_log where action = 'group.view_members' and user_id = ${member.id}`)
  expect(entries).toBeGreaterThan(0)
})

// R-1634
test('without the right nobody sees voters, neither in the list nor in the totals, the recipients or the export', async () => {
  const { instance, job, first, vote } = await pollJob()
  await vote({ Sáng: ['84999999123'] })
  const user = await context.add.user({ instances: [instance], canExportParticipants: false })
  const params = { id: job.id, recipientId: first }
  expect((await context.call(user, jobs.voters, { params, query: {} })).status).toBe(403)
  const inputs = { params, query: {} }
  const answers = [
    await context.call(user, jobs.poll, { params }),
    await context.call(user, jobs.recipients, inputs),
    await context.call(user, jobs.exportCsv, inputs),
  ]
  for (const { status, raw } of answers) {
    expect(status).toBe(200)
    expect(raw.toString()).not.toContain('84999999123')
  }
})

// R-1636
test('whoever does not see the account sees no results', async () => {
  const { job } = await pollJob()
  const user = await context.add.user()
  expect((await context.call(user, jobs.poll, { params: { id: job.id } })).status).toBe(404)
})
