/**
 * The kinds of trouble that users are told of, and the channels by which they learn of them. This file does not import
 * zod, so that the bell does not load the schemas.
 */
export const noticeKinds = [
  'account_down',
  'account_expiring',
  'job_failed',
  'job_stuck',
  'approval_waiting',
  'approval_given',
  'changes_asked',
  'approval_overdue',
  'approval_overridden',
  'series_approval',
  'series_paused',
  'series_missed',
  'backup_failed',
  'disk_low',
  'new_browser',
  'key_expiring',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** The kinds whose notices name the day on which something ends, instead of when the trouble began. */
export const expiryKinds: readonly NoticeKind[] = ['account_expiring', 'key_expiring']

/** Only Admins learn of these. */
export const adminKinds: readonly NoticeKind[] = ['backup_failed', 'disk_low']

export const noticeChannels = ['bell', 'email'] as const
export type NoticeChannel = (typeof noticeChannels)[number]
