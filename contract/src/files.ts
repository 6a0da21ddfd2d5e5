import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'

/** A message sends a file as one of these. */
export const fileKinds = ['video', 'audio', 'voice', 'document'] as const
export type FileKind = (typeof fileKinds)[number]

/** Why a phone would not play a video or audio. */
export const whysNot = ['container', 'codec', 'channels', 'too_large', 'damaged'] as const
export type WhyNot = (typeof whysNot)[number]

const orNull = <S extends z.ZodType>(schema: S, description: string) =>
  schema.nullable().meta({ description })

/** An uploaded file. */
export const StoredFile = z
  .object({
    name: z.string().meta({ description: 'The name in the store, which nobody can guess' }),
    url: z.string(),
    fileName: z
      .string()
      .meta({ description: 'The name that recipients see: that of the upload, without what is unsafe' }),
    mimeType: z.string().meta({ description: 'Recognised by the bytes' }),
    size: z.number().meta({ description: 'In bytes' }),
    seconds: orNull(z.number(), 'The length of a video or audio, if it says so'),
    width: orNull(z.number(), 'Of a video'),
    height: orNull(z.number(), 'Of a video'),
    kinds: z
      .array(z.enum(fileKinds))
      .meta({ description: 'What a message can send it as, the best first. Every file can be a document' }),
    whyNot: orNull(
      z.enum(whysNot),
      'Why a phone would not play this video or audio. `container`: not an MP4 that can be played from its beginning, nor another format that WhatsApp plays. `codec`: not H.264 with AAC, nor Opus. `channels`: Opus with more than one channel',
    ),
  })
  .meta({ id: 'StoredFile' })
export type StoredFile = z.output<typeof StoredFile>

export const files = {
  upload: endpoint({
    method: 'POST',
    path: '/files',
    access: 'canWriteMessages',
    allowsApiKeys: true,
    summary: `Upload a file of at most ${limits.fileMegabytes} MB as the field \`file\` of a form, for a message. A file that no message uses is deleted after an hour`,
    upload: 'file',
    response: StoredFile,
    status: 201,
  }),
}
