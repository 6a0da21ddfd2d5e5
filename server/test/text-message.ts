import type { OutgoingMessage } from '../src/providers/provider.ts'

/** Returns a text as a provider takes it. */
export const textMessage = (text: string): OutgoingMessage => ({ content: { kind: 'text', text } })
