/** What is known of an account's link to WhatsApp. Free of zod: badges need it. */
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

/** Tokens that begin so belong to test-mode accounts: they talk to the simulator, nothing leaves the machine. */
export const testTokenPrefix = 'test_'
