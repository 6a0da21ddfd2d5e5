import type { Message, MessageRow } from '@sendroom/contract/messages'

/** A text message without an instance, as lists show it. */
export const messageRow: MessageRow = {
  id: 5,
  textContent: 'Hello',
  hasVariables: false,
  imageUrl: null,
  content: null,
  instanceId: null,
  instanceName: null,
  isShared: false,
  createdByUserName: 'minh',
  createdAt: '2026-01-02T20:04:05.000Z',
}

/** The same message with the fields of its form. */
export const message: Message = { ...messageRow, assignedGroups: [], version: 1 }
