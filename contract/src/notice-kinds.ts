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
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** Only Admins learn of these. */
export const adminKinds: readonly NoticeKind[] = ['backup_failed', 'disk_low']

export const noticeChannels = ['bell', 'email'] as const
export type NoticeChannel = (typeof noticeChannels)[number]
