/**
 * The rights that an Admin gives or takes, each with the field of a user that holds it. They hold for all instances of
 * a user. Admins have every right. The specification named the first field: nobody sends a message by writing one.
 */
export const fieldOfRight = {
  canWriteMessages: 'canSendMessages',
  canCreateJobs: 'canCreateJobs',
  canLinkAccounts: 'canLinkAccounts',
  canExportParticipants: 'canExportParticipants',
  canUseContacts: 'canUseContacts',
  canManageContacts: 'canManageContacts',
  canApproveJobs: 'canApproveJobs',
  canMentionAll: 'canMentionAll',
} as const
export type Right = keyof typeof fieldOfRight
export type RightField = (typeof fieldOfRight)[Right]

/** The rights that an API key can have: no program approves, or links accounts. */
export const keyRights = [
  'canWriteMessages',
  'canCreateJobs',
  'canExportParticipants',
  'canUseContacts',
  'canManageContacts',
  'canMentionAll',
] as const satisfies readonly Right[]
export type KeyRight = (typeof keyRights)[number]

export const rightFields: readonly RightField[] = Object.values(fieldOfRight)
