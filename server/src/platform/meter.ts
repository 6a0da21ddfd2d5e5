/**
 * Sendroom calls these functions where something happens that operators watch. They do nothing until `startMetering`
 * replaces them, so a process without METRICS_TOKEN counts nothing.
 */
export type Meter = {
  /** The result of an attempt to send is saved, and its delivery has this status. */
  attempted: (status: 'sent' | 'failed' | 'queued' | 'doubt') => void
  /** So many deliveries of a job failed at once, without an attempt. */
  failedUntried: (count: number) => void
  /** A message in doubt was looked up in its chat. */
  lookedUp: (verdict: string) => void
  /** So many messages of a former era were found in an instance's chats, and their deliveries are sent. */
  foundInHistory: (count: number) => void
  /** A receipt of the provider is saved. */
  received: (state: 'delivered' | 'read' | 'failed') => void
  /** An instance was claimed so long after the end of its pause. */
  claimed: (lateMs: number) => void
  /** A job became Running so long after its time. */
  started: (lateMs: number) => void
  /** A call was refused that may tell of an attack. */
  refused: (kind: string) => void
  /** The provider answered a call with this status (null: not at all) after so long. */
  called: (call: string, status: number | null, tookMs: number) => void
}

const ignore = () => {}

export const meter: Meter = {
  attempted: ignore,
  failedUntried: ignore,
  lookedUp: ignore,
  foundInHistory: ignore,
  received: ignore,
  claimed: ignore,
  started: ignore,
  refused: ignore,
  called: ignore,
}

/** Reports to `own` from now on. */
export const startMetering = (own: Meter) => void Object.assign(meter, own)
