import type { OwnMessage } from '../../providers/provider.ts'

/** Two messages with the same key have the same content. WhatsApp may change line ends and outer blanks. */
export const contentKey = ({ text, kind }: { text: string; kind: OwnMessage['kind'] }) =>
  `${kind} ${text.replaceAll('\r\n', '\n').trim()}`

/** The content of a job's messages, in the same form. */
export const contentKeyOfJob = ({ text, hasImage }: { text: string; hasImage: boolean }) =>
  contentKey({ text, kind: hasImage ? 'image' : 'text' })
