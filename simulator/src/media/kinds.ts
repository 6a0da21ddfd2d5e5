import type { MediaInfo } from '../state/ledger.ts'
import { Refusal } from '../wire/refusal.ts'

const megabyte = 1024 * 1024
const image = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']
const opus = 'audio/ogg; codecs=opus'

/**
 * The types that each kind takes, by the bytes, and its limit. Whapi publishes neither limits nor codecs, and its agent
 * skill names more containers, which it encodes again. These are WhatsApp's own, for files sent with `no_encode`:
 * https://docs.aws.amazon.com/social-messaging/latest/userguide/supported-media-types.html. The limit of images was
 * 16 MB here from the start.
 */
const rules = {
  image: { mimes: image, maxBytes: 16 * megabyte },
  video: { mimes: ['video/mp4'], maxBytes: 16 * megabyte },
  audio: { mimes: ['audio/mpeg', 'audio/aac', 'audio/amr', 'audio/mp4', opus], maxBytes: 16 * megabyte },
  voice: { mimes: [opus], maxBytes: 16 * megabyte },
  document: { mimes: null, maxBytes: 100 * megabyte },
}

/** The kinds of messages that carry a file. */
export const mediaKinds = ['image', 'video', 'document', 'audio', 'voice'] as const
export type MediaKind = (typeof mediaKinds)[number]

/** Throws a 413 or 415 refusal if a file can't be sent as this kind: too large, or a type that phones do not play. */
export function requirePlayable(kind: MediaKind, { size, mime, codecs }: MediaInfo): void {
  const { mimes, maxBytes } = rules[kind]
  if (size > maxBytes) throw new Refusal(413, 'request media too large')
  const plays = mimes === null || (mimes.includes(mime) && (kind !== 'video' || isPhoneVideo(codecs)))
  if (!plays) throw new Refusal(415, 'unsupported media type')
}

/** Phones play H.264 (`avc1`, `avc3`), with AAC (`mp4a`) or without sound. */
const isPhoneVideo = (codecs: string[] = []) =>
  codecs.some((codec) => /^avc[13]$/.test(codec)) && codecs.every((codec) => /^(avc[13]|mp4a)$/.test(codec))
