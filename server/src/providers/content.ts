import type { Readable } from 'node:stream'

/** The content of a message, as the provider sends it. `mediaId` is what `upload` returned. */
export type OutgoingContent =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'video'; mediaId: string; caption: string }
  | { kind: 'document'; mediaId: string; caption: string; fileName: string }
  /** `seconds` is the length, null if unknown. A voice message is Opus in Ogg (`audio/ogg; codecs=opus`). */
  | { kind: 'audio' | 'voice'; mediaId: string; seconds: number | null }
  /** Two to twelve options, all different. */
  | { kind: 'poll'; question: string; options: string[]; allowsSeveral: boolean }
  /** Degrees. `name` and `address` may be empty. */
  | { kind: 'location'; latitude: number; longitude: number; name: string; address: string }

/** A message to send. `mentions` are phone numbers (digits); only text, image and video can carry any. */
export type OutgoingMessage = { content: OutgoingContent; mentions?: string[] }

/**
 * A file to upload. `size` is in bytes. Each attempt opens the file once, and the bytes are streamed, so a file of
 * 100 MB is never in memory as a whole.
 */
export type MediaFile = { mimeType: string; size: number; open: () => Promise<Readable> }

/** A message that the instance has sent, as the provider lists it. */
export type OwnMessage = {
  id: string
  chatId: string
  kind: OutgoingContent['kind'] | 'other'
  /** The text, the caption or the poll's question. Empty for anything else. */
  text: string
  /** The poll's options. Empty for anything else. */
  options: string[]
  /** Degrees. Null for anything but a location. */
  location: { latitude: number; longitude: number } | null
  /**
   * The file. Null for anything but media. The provider may have encoded it again, which changes `sha256` (64 lower
   * case hex digits) and `size` (bytes). Each field is null if the provider does not tell it.
   */
  media: { sha256: string | null; size: number | null; fileName: string | null } | null
  /** Unix seconds, by the provider's clock. */
  timestamp: number
  /** Whether a person wrote the message on the phone or in WhatsApp Web. */
  fromPhone: boolean
}

/** A private message that somebody has written to the instance. */
export type IncomingMessage = {
  id: string
  /** The id of the private chat: the sender's, by number or by LID. */
  chatId: string
  /** The sender: by number, or by LID if WhatsApp hides the number. `value` is digits only. */
  from: { kind: 'phone' | 'lid'; value: string }
  /** The text, or the caption. Empty for anything else, such as a voice message. */
  text: string
  /** Unix seconds, by the provider's clock. */
  timestamp: number
  /** The id of the message that this one quotes. */
  quotedId: string | null
  /** The sender's number and LID, digits only, as far as the provider tells them. One of them is `from`. */
  senderPhone: string | null
  senderLid: string | null
}

/** The votes in a poll, by option. */
export type PollResults = {
  providerMessageId: string
  options: {
    name: string
    count: number
    /** Digits of a phone number, or `…@lid` for whoever hides the number. Empty where voters are anonymous. */
    voters: string[]
  }[]
}
