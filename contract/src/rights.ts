/** The rights that an Admin gives or takes. They hold for all instances of a user. Admins have every right. */
export const rights = [
  'canSendMessages',
  'canCreateJobs',
  'canLinkAccounts',
  'canExportParticipants',
] as const
export type Right = (typeof rights)[number]
