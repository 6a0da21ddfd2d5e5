/** How fast an account sends. Free of zod: the form shows what a value means. */
export type Pace = {
  /** The pause after a message is drawn from this range, in seconds. */
  groupPauseSeconds: [number, number]
  privatePauseSeconds: [number, number]
  /** Messages in any 24 hours; 0 is no limit. */
  dailyCap: { groups: number; private: number }
}

/** What Whapi advises, so that WhatsApp does not ban the number. Also the defaults of the database. */
export const advisedPace: Pace = {
  groupPauseSeconds: [20, 30],
  privatePauseSeconds: [60, 90],
  dailyCap: { groups: 0, private: 200 },
}

/** A test-mode account has no pause and no cap, unless they are given. */
export const testPace: Pace = {
  groupPauseSeconds: [0, 0],
  privatePauseSeconds: [0, 0],
  dailyCap: { groups: 0, private: 0 },
}
