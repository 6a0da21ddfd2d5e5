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

export const rightFields: readonly RightField[] = Object.values(fieldOfRight)
