import type { contract } from '@sendroom/contract'
import type { Input } from '@sendroom/contract/endpoint'
import { sql } from '../../src/platform/database/sql.ts'
import { context, type Fixture } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of series. As with jobs, whoever sees the account sees them, and whoever may create jobs changes
// them.

const signedIn = (status: number): Statuses => [401, 401, status, status, status, status]
const assigned = (status: number): Statuses => [401, 401, 404, status, status, status]
const creators = (status: number, unseen = 404): Statuses => [401, 401, unseen, 403, status, status]

type Form = Input<typeof contract.series.create>['body']

const rule: Form['rule'] = {
  frequency: 'week',
  every: 1,
  weekdays: [1, 4],
  times: ['09:00'],
  startsOn: '2026-01-01',
  endsOn: null,
  runLimit: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}

const form = ({ instanceId, message, group, unique }: Fixture): Form => ({
  name: unique,
  instanceId,
  messageIds: [message.id],
  groupIds: [group.id],
  rule,
})

const addSeries = ({ instanceId, message, group }: Fixture, columns = {}) =>
  context.add.series({ instanceId, messages: [message], groups: [group], ...columns })

const newSeries = async (fixture: Fixture) => of((await addSeries(fixture)).id)

async function newRun(fixture: Fixture) {
  const { id, runs } = await addSeries(fixture)
  return { params: { id, runId: runs[0]?.id ?? 0 } }
}

const paused = {
  state: 'paused',
  pausedReason: JSON.stringify({ code: 'series_paused_by', params: { user: 'An' } }),
}

export const seriesRows: RowsOf<typeof contract.series> = {
  list: [signedIn(200), () => ({})],
  get: [assigned(200), newSeries],
  runs: [assigned(200), newSeries],
  create: [creators(201, 400), (fixture) => ({ body: form(fixture) })],
  update: [creators(200), async (fixture) => ({ ...(await newSeries(fixture)), body: form(fixture) })],
  pause: [creators(200), newSeries],
  resume: [creators(200), async (fixture) => of((await addSeries(fixture, paused)).id)],
  // R-1402
  approve: [
    creators(200),
    async (fixture) => {
      const { id } = await addSeries(fixture)
      await context.db.run(sql`update instances set approval = 'always' where id = ${fixture.instanceId}`)
      return { ...of(id), body: { version: 1, recipients: 10 } }
    },
  ],
  // R-1517
  askChanges: [
    creators(200),
    async (fixture) => {
      const { id } = await addSeries(fixture)
      await context.db.run(sql`update instances set approval = 'always' where id = ${fixture.instanceId}`)
      return { ...of(id), body: { version: 1, words: 'Shorter' } }
    },
  ],
  end: [creators(200), newSeries],
  remove: [creators(204), newSeries],
  skipRun: [creators(200), newRun],
  // R-1513
  setRunMessage: [
    creators(200),
    async (fixture) => {
      const { runs, id } = await addSeries(fixture, { authorId: fixture.somebody.id })
      return { params: { id, runId: runs[0]?.id ?? 0 }, body: { messageId: fixture.template.id } }
    },
  ],
  moveRun: [
    creators(200),
    async (fixture) => ({
      ...(await newRun(fixture)),
      body: { dueAt: new Date(Date.now() + 7_200_000).toISOString() },
    }),
  ],
}
