import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'
import type { TestUser } from '../../../test/factories.ts'
import { sql } from '../../platform/database/sql.ts'

const context = useSharedContext()
const { messages, series } = contract

async function fixture() {
  const instance = await context.add.instance()
  const author = await context.add.user({ instances: [instance] })
  const [first, other] = [
    await context.add.message({ instanceId: instance.id, textContent: 'One' }),
    await context.add.message({ instanceId: instance.id, textContent: 'Other' }),
  ]
  const added = await context.add.series({
    ...{ instanceId: instance.id, messages: [first], runsInMinutes: [60, 120] },
    ...{ authorId: author.id, authorName: author.username },
  })
  const at = (runId = added.runs[0]?.id ?? 0) => ({ params: { id: added.id, runId } })
  const set = (messageId: number | null, by: TestUser = author, version?: number) =>
    context.call(by, series.setRunMessage, { ...at(), body: { messageId, version } })
  const read = async () => (await context.call(author, series.get, { params: { id: added.id } })).body
  return { ...added, instance, author, first, other, at, set, read }
}

// R-1513
test('a single run gets a message of its own, once for each version, and gives it back', async () => {
  const { author, other, set, read, id, at } = await fixture()
  const { version } = await read()
  expect(await set(other.id, author, version)).toMatchObject({
    ...{ status: 200, body: { message: { id: other.id, textContent: 'Other' } } },
  })
  expect(await set(null, author, version)).toMatchObject({ status: 409, body: { code: 'stale_version' } })
  const { changedRuns, nextRun } = await read()
  expect(changedRuns).toEqual([nextRun])
  const { data } = (await context.call(author, series.runs, { params: { id } })).body
  expect(data.map(({ message }) => message?.id)).toEqual([other.id, undefined])
  expect((await set(null)).body).toMatchObject({ message: null })
  expect((await read()).changedRuns).toEqual([])
  const entries = await context.db.many(sql`
    select details->>'text' as text, details->>'formerText' as former_text from audit_log
    where action = 'series.set_run_message' and object_id = ${id} order by id`)
  expect(entries).toEqual([
    { text: 'Other', formerText: null },
    { text: null, formerText: 'Other' },
  ])
  await context.call(author, series.skipRun, at())
  expect((await set(other.id)).body.code).toBe('run_not_planned')
})

// R-1513
test('the message of a run is one that both its author and whoever chooses it may use, and fits', async () => {
  const { author, instance, set, read } = await fixture()
  const elsewhere = await context.add.instance()
  const wider = await context.add.user({ instances: [instance, elsewhere] })
  const hidden = await context.add.message({ instanceId: elsewhere.id })
  const personal = await context.add.message({
    ...{ instanceId: instance.id, textContent: 'Hi {{name}}', hasVariables: true },
  })
  const wrong = { fields: { messageId: 'SERIES_FORM.RUN_MESSAGE_INVALID' } }
  expect(await set(hidden.id, author)).toMatchObject({ status: 400, body: wrong })
  expect(await set(hidden.id, wider)).toMatchObject({ status: 400, body: wrong })
  expect((await set(personal.id)).body.fields).toEqual({ messageId: 'JOB.VARIABLES_IN_GROUPS' })
  await context.db.run(sql`update users set is_active = false where id = ${author.id}`)
  expect((await set(hidden.id, wider)).body).toMatchObject(wrong)
  await context.db.run(sql`update users set is_active = true where id = ${author.id}`)
  expect((await read()).changedRuns).toEqual([])
})

// R-1513
test('whoever takes a series over may use the messages of its runs', async () => {
  const { id, instance, author, first, other, set, read } = await fixture()
  await set(other.id)
  const { rule, groups, name } = await read()
  const save = (by: TestUser, more = {}) => {
    const form = { name, rule, instanceId: instance.id, jobType: 'SendToGroups' as const }
    const body = { ...form, messageIds: [first.id], groupIds: groups.map((group) => group.id), ...more }
    return context.call(by, series.update, { params: { id }, body })
  }
  const elsewhere = await context.add.instance()
  await context.db.run(sql`update messages set instance_id = ${elsewhere.id} where id = ${other.id}`)
  expect((await save(author)).body.fields).toEqual({ messageIds: 'SERIES_FORM.RUN_MESSAGES_LOST' })
  expect((await save(await context.add.admin())).status).toBe(200)
})

// R-1513
test('a message that a run to come sends can’t be deleted, until the run is over', async () => {
  const { author, other, set, at, instance } = await fixture()
  await set(other.id)
  const remove = () => context.call(author, messages.remove, { params: { id: other.id } })
  expect((await remove()).body.code).toBe('used_by_series')
  await context.call(author, series.skipRun, at())
  expect((await remove()).status).toBe(204)
  const again = await context.add.message({ instanceId: instance.id })
  const next = await context.db.one<{ id: number }>(sql`
    update series_runs set message_id = ${again.id} where state = 'planned' and series_id = ${at().params.id} returning id`)
  expect(next.id).toBeGreaterThan(0)
  const admin = await context.add.admin()
  const cleared = await context.call(admin, contract.instances.clearData, { params: { id: instance.id } })
  expect(cleared.status).toBe(204)
})
