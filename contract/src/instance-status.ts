/** The states of an instance's link to WhatsApp. This file does not import zod, because list pages need it. */
export const instanceStatuses = [
  'Connected',
  'NeedsLogin',
  'Connecting',
  'Degraded',
  'Disconnected',
  'BadToken',
  'Unpaid',
  'Unknown',
] as const
export type InstanceStatus = (typeof instanceStatuses)[number]

/** A token with this prefix puts an instance in test mode: it uses the simulator and sends nothing to WhatsApp. */
export const testTokenPrefix = 'test_'
