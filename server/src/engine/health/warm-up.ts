import { warmUpSteps } from '@sendroom/contract/pace'
import type { Db } from '../../platform/database/connection.ts'
import { type Sql, sql } from '../../platform/database/sql.ts'
import { lockInstances } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'

const today = sql`local_day(clock_now(), i.time_zone)`

/**
 * People who opted out of messages of the instance `i` on the day `d`. Those that somebody entered by hand or from a
 * file say nothing about it.
 */
const optOuts = sql`(
  select count(*) from opt_outs o
  where o.instance_id = i.id and o.source in ('message', 'review') and o.linked_to is null
    and local_day(o.said_at, i.time_zone) = day.d
)`

const countOf = (kind: string) => sql`coalesce((i.sent_by_day ->> (${kind} || day.d))::int, 0)`

const hasSentEnough = sql`(${countOf('p')} >= 0.8 * i.warm_up_step)`
const hasNoRefusal = sql`(${countOf('r')} = 0)`
const hasFewOptOuts = sql`(${optOuts} <= 1 or ${optOuts} < 0.02 * ${countOf('p')})`

/** Condition: since its last look, the instance `i` has had a day that earns the next step. */
const hasEarnedStep = sql`exists (
  select from generate_series(i.warm_up_day, ${today} - 1) day (d)
  where ${hasSentEnough} and ${hasNoRefusal} and ${hasFewOptOuts}
)`

const nextStep = (step: Sql) =>
  sql`(select min(next) from unnest(${warmUpSteps}::int[]) next where next > ${step})`

/** The warm-up of the instance `i` as `WarmUp`: what its day has of what earns the next step. Null without one. */
export const warmUpToday = sql`
  case when i.warm_up_step is not null then (
    select jsonb_build_object('step', i.warm_up_step, 'nextStep', ${nextStep(sql`i.warm_up_step`)},
      'sentToday', ${countOf('p')}, 'neededToday', ceil(0.8 * i.warm_up_step),
      'spoiltBy', case when not ${hasNoRefusal} then 'refusal' when not ${hasFewOptOuts} then 'opt_outs' end)
    from (values (${today})) day (d)
  ) end`

/**
 * Recurring work: looks once a day at each account that warms up. It goes a step up after a day that used 80 % of its
 * step, with no refusal, and with opt-outs under 2 % or one at most. After the last step the warm-up is over. A locked
 * instance is left for the next look.
 */
export async function stepUpWarmUps(db: Db): Promise<void> {
  const steppedUp = await db.many<{ hasSteppedUp: boolean }>(sql`
    with due as materialized (
      select i.id, i.warm_up_step as step, ${hasEarnedStep} as is_earned from instances i
      where i.warm_up_step is not null and i.warm_up_day is distinct from ${today}
      ${lockInstances('skip')}
    )
    update instances i
    set warm_up_day = ${today},
      warm_up_step = case when due.is_earned then ${nextStep(sql`due.step`)} else due.step end
    from due where i.id = due.id
    returning due.is_earned as has_stepped_up`)
  if (steppedUp.some(({ hasSteppedUp }) => hasSteppedUp)) await wakeWorkers(db)
}
