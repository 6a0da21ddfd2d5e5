/** How fast an instance sends. This file does not import zod. */
export type Pace = {
  /** The range in seconds from which the pause after each message is drawn. */
  groupPauseSeconds: [number, number]
  privatePauseSeconds: [number, number]
  /** The maximum number of messages in any 24 hours. 0 means no limit. */
  dailyCap: { groups: number; private: number }
}

/**
 * The pace of new instances, against bans by WhatsApp. The database has the same defaults. For private chats Whapi
 * recommends these pauses up to 20 recipients, longer ones (90 to 120 s) up to 50, and groups instead beyond that. Our
 * cap is higher. Whapi sees no risk in groups; its own sample script pauses 20 s.
 */
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
