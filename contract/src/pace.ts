/** How fast an instance sends. This file does not import zod. */
export type Pace = {
  /** The range in seconds from which the pause after each message is drawn. */
  groupPauseSeconds: [number, number]
  privatePauseSeconds: [number, number]
  /** The maximum number of messages in any 24 hours. 0 means no limit. */
  dailyCap: { groups: number; private: number }
  /** From this many private messages of a day on, the pause is the slow one. 0 means never. */
  privateSlowAfter: number
  privateSlowPauseSeconds: [number, number]
  /** The maximum numbers of private messages in 15 minutes, and of hours of a day with any. 0 means no limit. */
  privatePerQuarterHour: number
  privateHoursPerDay: number
  /** A day of rest follows so many days in a row with 20 private messages or more. 0 means none. */
  privateDaysInARow: number
  /** For each person: the most messages in any 24 hours, and days between two jobs. 0 means no limit. */
  personCap: number
  personRestDays: number
  /** The most people who were written to in the last 30 days and have not answered. 0 means no limit. */
  newPeopleCap: number
}

/** The most private messages a day during a warm-up, step by step. */
export const warmUpSteps = [20, 50, 100, 200] as const
export type WarmUpStep = (typeof warmUpSteps)[number]

/**
 * The pace of new instances, against bans by WhatsApp, as Whapi advises. The database has the same defaults. Whapi sees
 * no risk in groups; its own sample script pauses 20 s.
 */
export const advisedPace: Pace = {
  groupPauseSeconds: [20, 30],
  privatePauseSeconds: [60, 90],
  dailyCap: { groups: 0, private: 200 },
  privateSlowAfter: 20,
  privateSlowPauseSeconds: [90, 120],
  privatePerQuarterHour: 10,
  privateHoursPerDay: 6,
  privateDaysInARow: 3,
  personCap: 3,
  personRestDays: 0,
  newPeopleCap: 200,
}

/** The default pace of test-mode instances: no pause and no limit. */
export const testPace: Pace = {
  groupPauseSeconds: [0, 0],
  privatePauseSeconds: [0, 0],
  dailyCap: { groups: 0, private: 0 },
  privateSlowAfter: 0,
  privateSlowPauseSeconds: [90, 120],
  privatePerQuarterHour: 0,
  privateHoursPerDay: 0,
  privateDaysInARow: 0,
  personCap: 0,
  personRestDays: 0,
  newPeopleCap: 0,
}
