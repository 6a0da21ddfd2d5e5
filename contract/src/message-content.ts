import { z } from 'zod'
import { hasFile } from './captions.ts'
import { isSafeFileName } from './file-names.ts'
import { fileKinds } from './files.ts'
import { limits } from './limits.ts'
import { isForm, key } from './values.ts'

/*
 * The content of a message is all that it has beside its text. A text, and a text with an image, have none: the
 * specification has forms of their own for these.
 */

/** The file of a message, named by the answer of `POST /files`. */
const file = z
  .string(key('MESSAGE.FILE_REQUIRED'))
  .regex(/^[0-9a-f]{32}\.[a-z0-9]{1,8}$/, key('MESSAGE.FILE_REQUIRED'))
  .describe('The `name` that the upload of the file has answered.')

/** The name that recipients of a document see. */
const fileName = z
  .string(key('MESSAGE.FILE_NAME_INVALID'))
  .trim()
  .min(1, key('MESSAGE.FILE_NAME_INVALID'))
  .max(limits.fileName, key('MESSAGE.FILE_NAME_INVALID'))
  .refine(isSafeFileName, key('MESSAGE.FILE_NAME_INVALID'))

const pollOption = z
  .string(key('MESSAGE.POLL_OPTION_INVALID'))
  .trim()
  .min(1, key('MESSAGE.POLL_OPTION_INVALID'))
  .max(limits.pollOption, key('MESSAGE.POLL_OPTION_INVALID'))

/** Empty answers have an error of their own. */
function areDifferent(options: string[]): boolean {
  const written = options.filter((option) => option !== '')
  return new Set(written).size === written.length
}

const pollFields = {
  kind: z.literal('poll'),
  options: z
    .array(pollOption)
    .min(limits.pollOptionsMin, key('MESSAGE.POLL_OPTIONS_TOO_FEW'))
    .max(limits.pollOptionsMax, key('MESSAGE.POLL_OPTIONS_TOO_MANY'))
    .refine(areDifferent, key('MESSAGE.POLL_OPTIONS_ALIKE')),
  allowsSeveral: z.boolean().describe('Whether people may choose several options.').default(false),
}

const coordinate = (most: number) =>
  z
    .number(key('MESSAGE.COORDINATES_INVALID'))
    .min(-most, key('MESSAGE.COORDINATES_INVALID'))
    .max(most, key('MESSAGE.COORDINATES_INVALID'))

const locationFields = {
  kind: z.literal('location'),
  latitude: coordinate(90),
  longitude: coordinate(180),
  address: z.string().trim().max(limits.locationAddress, key('MESSAGE.ADDRESS_TOO_LONG')).default(''),
}

/** The content of a message that is written. The text is the caption, the question of a poll, or a place's name. */
export const NewContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(fileKinds), file, fileName }),
  z.object(pollFields),
  z.object(locationFields),
])
export type NewContent = z.output<typeof NewContent>

/** The content of a message as it is read. */
export const MessageContent = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.enum(fileKinds),
      /** The file is at `/files/` and this name. */
      file: z.string(),
      fileName: z.string(),
      mimeType: z.string(),
      /** In bytes. */
      size: z.number(),
      /** Null for a document, and if the file does not tell. */
      seconds: z.number().nullable(),
    }),
    z.object({ ...pollFields, options: z.array(z.string()), allowsSeveral: z.boolean() }),
    z.object({ ...locationFields, latitude: z.number(), longitude: z.number(), address: z.string() }),
  ])
  .meta({ id: 'MessageContent' })
export type MessageContent = z.output<typeof MessageContent>

type Written = { textContent: string; content?: NewContent | null | undefined }

/** Requires a text, unless a file can do without, and keeps the question of a poll short. */
export const requireText = <S extends z.ZodType<Written>>(schema: S) =>
  schema
    .refine((message) => textOf(message) !== '' || hasFile(contentOf(message)), {
      path: ['textContent'],
      error: key('MESSAGE.TEXT_REQUIRED'),
      when: isForm,
    })
    .refine(
      (message) =>
        // A question is sent with the blanks at its ends.
        contentOf(message)?.kind !== 'poll' || !(message.textContent?.length > limits.pollQuestion),
      { path: ['textContent'], error: key('MESSAGE.QUESTION_TOO_LONG'), when: isForm },
    )

// The rules run for wrong types as well, which have errors of their own.
const textOf = ({ textContent }: Written) => (typeof textContent === 'string' ? textContent.trim() : null)
const contentOf = ({ content }: Written) => (isForm({ value: content }) ? content : null)
