import { limits } from '@sendroom/contract/limits'

const HOURS = 24

/** The limits for people that are one number, in the order of the form, each with its label and the largest value. */
export const limitFields = [
  ['privatePerQuarterHour', 'QUARTER', limits.perQuarterHour],
  ['privateHoursPerDay', 'HOURS', HOURS],
  ['privateDaysInARow', 'DAYS', limits.daysInARow],
  ['newPeopleCap', 'NEW_PEOPLE', limits.dailyCap],
  ['personCap', 'PERSON_CAP', limits.personCap],
  ['personRestDays', 'PERSON_REST', limits.personRestDays],
  ['privateSlowAfter', 'SLOW_AFTER', limits.dailyCap],
] as const
