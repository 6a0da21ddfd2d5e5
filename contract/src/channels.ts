/**
 * Whether a chat is a channel of WhatsApp: its admins post, anybody follows, and nobody is told who the followers are.
 * This file does not import zod, so that pages do not load the schemas.
 */
export const isChannel = (chatId: string): boolean => chatId.endsWith('@newsletter')
