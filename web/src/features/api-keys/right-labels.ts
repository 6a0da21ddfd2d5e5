import type { KeyRight } from '@sendroom/contract/rights'

/** The translation keys of the rights that an API key can have, as the form for users names them. */
export const RIGHT_LABELS: Record<KeyRight, string> = {
  canWriteMessages: 'USER_FORM.CAN_SEND_MESSAGES',
  canCreateJobs: 'USER_FORM.CAN_CREATE_JOBS',
  canExportParticipants: 'USER_FORM.CAN_EXPORT_PARTICIPANTS',
  canUseContacts: 'USER_FORM.CAN_USE_CONTACTS',
  canManageContacts: 'USER_FORM.CAN_MANAGE_CONTACTS',
  canMentionAll: 'USER_FORM.CAN_MENTION_ALL',
}
