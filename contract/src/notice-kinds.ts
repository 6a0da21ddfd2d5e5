/**
 * The kinds of trouble that users are told of by the channels that they choose. This file does not import zod, so that
 * the bell does not load the schemas.
 */
export const chosenKinds = [
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
  'key_expiring',
] as const

/** Every user is told of these by all channels: whoever has stolen a session could switch them off otherwise. */
export const fixedKinds = ['new_browser', 'sign_in_changed'] as const

/** In the order of the page and of emails. A thief can make hundreds of the others, which must hide none of these. */
export const noticeKinds = [...fixedKinds, ...chosenKinds] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** The kinds whose notices name the day on which something ends, instead of when the trouble began. */
export const expiryKinds: readonly NoticeKind[] = ['account_expiring', 'key_expiring']

/** Only Admins learn of these. */
export const adminKinds: readonly NoticeKind[] = ['backup_failed', 'disk_low']

/** Condition: the notice concerns how the user signs in. */
export const isOfSignIn = (kind: NoticeKind) => fixedKinds.some((fixed) => fixed === kind)

export const noticeChannels = ['bell', 'email'] as const
export type NoticeChannel = (typeof noticeChannels)[number]
