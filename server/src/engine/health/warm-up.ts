import { warmUpSteps } from '@sendroom/contract/pace'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { lockInstances } from '../shared/lock.ts'
import { wakeWorkers } from '../wake.ts'

const today = sql`local_day(clock_now(), i.time_zone)`

/**
 * People who opted out of messages of the instance `i` on the day `d`. Those that somebody entered by hand or from a
 * file say nothing about it.
 */
const optOuts = sql`(
  select count(*) from opt_outs o
  where o.instance_id = i.id and o.source in ('message', 'review') and local_day(o.said_at, i.time_zone) = day.d
)`

const countOf = (kind: string) => sql`coalesce((i.sent_by_day ->> (${kind} || day.d))::int, 0)`

/** Condition: since its last look, the instance `i` has had a day that earns the next step. */
const hasEarnedStep = sql`exists (
  select from generate_series(i.warm_up_day, ${today} - 1) day (d)
  where ${countOf('p')} >= 0.8 * i.warm_up_step and ${countOf('r')} = 0
    and (${optOuts} <= 1 or ${optOuts} < 0.02 * ${countOf('p')})
)`

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
      warm_up_step = case when not due.is_earned then due.step
        else (
          select min(step) from unnest(${warmUpSteps}::int[]) step where step > due.step) end
    from due where i.id = due.id
    returning due.is_earned as has_stepped_up`)
  if (steppedUp.some(({ hasSteppedUp }) => hasSteppedUp)) await wakeWorkers(db)
}
