/** How fast an instance sends. This file does not import zod. */
export type Pace = {
  /** The range in seconds from which the pause after each message is drawn. */
  groupPauseSeconds: [number, number]
  privatePauseSeconds: [number, number]
  /** The maximum number of messages in any 24 hours. 0 means no limit. */
  dailyCap: { groups: number; private: number }
}

/** The pace that Whapi recommends against bans by WhatsApp. The database has the same defaults. */
export const advisedPace: Pace = {
  groupPauseSeconds: [20, 30],
  privatePauseSeconds: [60, 90],
  dailyCap: { groups: 0, private: 200 },
}

/** The default pace of test-mode instances: no pause and no cap. */
export const testPace: Pace = {
  groupPauseSeconds: [0, 0],
  privatePauseSeconds: [0, 0],
  dailyCap: { groups: 0, private: 0 },
}
