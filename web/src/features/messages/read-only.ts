import type { MessageRow } from '@sendroom/contract/messages'
import { isAdmin, mayDo, type SessionUser } from '../../api/session.ts'

type Shared = Pick<MessageRow, 'isShared' | 'createdByUserName'>

/** The translation key of why the user may only read this message. Undefined if the user may change it. */
export function whyReadOnly(message: Shared, user: SessionUser | null): string | undefined {
  if (!mayDo('canWriteMessages', user)) return 'MESSAGE.NOT_ALLOWED'
  const isTheirs = !message.isShared || isAdmin(user) || message.createdByUserName === user?.username
  return isTheirs ? undefined : 'MESSAGE.SHARED_NOT_ALLOWED'
}
