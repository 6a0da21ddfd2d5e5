// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, type Guard, platform, without } from './guard.ts'

const engine = 'server/src/engine'
const optOuts = `${platform}/opt-outs.ts`
const checks = `${features}/number-checks`

const inOptOut = (only: string) => ({ tests: `${engine}/sending/opt-out`, only })
const inIncoming = (only: string) => ({ tests: `${engine}/incoming/incoming`, only })
const inPace = (only: string) => ({ tests: `${engine}/shared/private-pace`, only })
const inRecords = (only: string) => ({ tests: 'server/test/access/recorded', only })

/** The check is a trigger, so the tests' databases lose it. */
const withoutTrigger = {
  file: 'server/test/database.ts',
  from: `const db = connect(address, { applicationName: 'sendroom test' })`,
  to: `const db = connect(address, { applicationName: 'sendroom test' })
  await db.run(sql\`drop trigger deliveries_skip_opted_out on deliveries\`)`,
}

/** Guards of people who want no messages, and of the pace to people. */
export const optOutGuards: Guard[] = [
  {
    name: 'nobody gets a message who has opted out',
    changes: [withoutTrigger],
    ...inOptOut('before their turn'),
  },
  {
    name: 'an opt-out is tested behind the last lock',
    changes: [
      withoutTrigger,
      {
        file: `${engine}/sending/intent.ts`,
        from: "d.status = 'queued' and on_turn.put_off_until is null\n      returning",
        to: `d.status = 'queued' and on_turn.put_off_until is null
          and not is_opted_out(on_turn.chat_id, on_turn.instance_id)
        returning`,
      },
    ],
    ...inOptOut('waited for the'),
  },
  without(
    'a new job skips who has opted out',
    `${engine}/jobs/create.ts`,
    'await skipUnreachable(tx, jobId)',
    '',
    inOptOut('a new job shows'),
  ),
  without(
    'a retry leaves out who has opted out',
    `${engine}/jobs/retry.ts`,
    'and not ${isUnreachable}',
    '',
    inOptOut('a retry and a restart'),
  ),
  without(
    'a restart leaves out who has opted out',
    `${engine}/jobs/lifecycle.ts`,
    'await skipUnreachable(tx, jobId)',
    '',
    inOptOut('a retry and a restart'),
  ),
  without(
    'known people come first',
    `${features}/jobs/people.queries.ts`,
    'order by ${isKnownPerson(sql`${instanceId}::bigint`, sql`number`)} desc, place',
    'order by place',
    { tests: `${features}/jobs/people` },
  ),
  without(
    'messages are read before private sending',
    `${engine}/shared/pace.ts`,
    'and ${incomingIsKnown} and',
    'and',
    inIncoming('what they wrote meanwhile|holds jobs to people'),
  ),
  without(
    'messages are read in each era',
    `${engine}/shared/incoming.ts`,
    'i.incoming_era = current_era() and ',
    '',
    inIncoming('after a restore'),
  ),
  without(
    'a reading counts in its era alone',
    `${engine}/incoming/read.ts`,
    '\n          and current_era() = ${reading.era}',
    '',
    inIncoming('counts for nothing in another era'),
  ),
  without(
    'a reading counts for nothing after a time away',
    `${engine}/incoming/read.ts`,
    'where i.id = ${reading.instanceId} and i.incoming_check_at = ${reading.checkAt}::timestamptz\n          and',
    'where i.id = ${reading.instanceId} and',
    inIncoming('counts for nothing in another era'),
  ),
  without(
    'without a webhook, messages are read for each job',
    `${engine}/shared/incoming.ts`,
    '    and (${isReported} or i.incoming_read_until >= greatest(j.started_at, j.resumed_at)))',
    ')',
    inIncoming('where calls are counted'),
  ),
  without(
    'the budget of new people',
    `${engine}/shared/private-pace.ts`,
    'and (${newPeopleUntil} is null or ${nextIsKnown}))',
    ')',
    inPace('waits for the budget'),
  ),
  without(
    'messages to known people go on when the budget is used up',
    `${engine}/shared/private-pace.ts`,
    '(${newPeopleUntil} is null or ${nextIsKnown})',
    '${newPeopleUntil} is null',
    inPace('waits for the budget'),
  ),
  without(
    'the limit of one person',
    `${engine}/shared/private-pace.ts`,
    '${isUsed(sql`person_free_at(p.last_sent_at, i.person_cap, i.person_rest_days)`)} as free_at',
    'null::timestamptz as free_at',
    inPace('a person'),
  ),
  ...[
    ['the limit of 15 minutes', '${quarterHourUntil} is null and ', ''],
    ['the hours of a day', 'and ${privateHoursUntil} is null and', 'and'],
  ].map(([name = '', from = '', to = '']) =>
    without(name, `${engine}/shared/private-pace.ts`, from, to, {
      tests: `${engine}/shared/pace.test`,
      only: 'three weeks',
    }),
  ),
  without(
    'the day of rest',
    `${engine}/shared/private-pace.ts`,
    ' and ${restDayUntil} is null\n',
    '\n',
    inPace('on a day of rest'),
  ),
  without(
    'limits of WhatsApp',
    `${engine}/shared/private-pace.ts`,
    "j.job_type = 'SendToGroups' or coalesce(greatest(i.restricted_until, i.capped_until), 'epoch') <= clock_now()",
    'true',
    { tests: `${engine}/health/whatsapp-limits` },
  ),
  ...[
    [
      'that a person wrote or a user decided',
      'possible-opt-outs/:id/decide',
      "await record(tx, by ?? nobody(''), {",
      'void ({',
    ],
    ['by hand', 'POST /opt-outs ', 'if (first !== null)\n    await record(tx, by, {', 'void ({'],
  ].map(([which = '', only = '', from = '', to = '']) =>
    without(`an opt-out ${which} is recorded`, optOuts, from, to, inRecords(only)),
  ),
  without(
    'the end of an opt-out is recorded',
    optOuts,
    '...ended.map(({ id, phone, lid }) => ({',
    '...([] as typeof ended).map(({ id, phone, lid }) => ({',
    inRecords('opt-outs/:id/end'),
  ),
  without(
    'an opt-in by message is recorded',
    optOuts,
    '...ended.map((one) => ({',
    '...([] as typeof ended).map((one) => ({',
    { tests: `${platform}/opt-outs` },
  ),
  without(
    'that a message meant no opt-out is recorded',
    `${features}/opt-outs/opt-outs.service.ts`,
    'return record(tx, caller, {',
    'return void ({',
    { tests: `${features}/opt-outs`, only: 'decides' },
  ),
  without(
    'an account to check numbers with',
    `${checks}/number-checks.queries.ts`,
    "where i.id = ${id} and ${canSeeInstance(caller, 'i.id')}",
    'where i.id = ${id}',
    { tests: 'server/test/access/callers', only: 'number-checks' },
  ),
  without(
    'the accounts that check numbers',
    `${checks}/number-checks.queries.ts`,
    "where ${canSeeInstance(caller, 'i.id')}\n    order",
    'order',
    { tests: checks, only: 'so many numbers waiting' },
  ),
  without(
    'checks are stopped by who has asked for them',
    `${checks}/number-checks.queries.ts`,
    ' and (asked_by_user_id = ${caller.id} or ${isAdmin(caller)})',
    '',
    { tests: checks, only: 'so many numbers waiting' },
  ),
  without(
    'the limit of numbers that wait',
    `${checks}/number-checks.service.ts`,
    'if ((await countWaiting(tx, caller.id)) > limits.numberChecksWaiting)',
    'if (false)',
    { tests: checks, only: 'so many numbers waiting' },
  ),
  without(
    'a trial’s calls are used up by consent',
    `${checks}/number-checks.service.ts`,
    'if (!allowsMetered && (await isMetered(deps, instance)))',
    'if (false)',
    { tests: checks, only: 'on a trial' },
  ),
]
