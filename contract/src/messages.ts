import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { MessageContent, NewContent, requireText } from './message-content.ts'
import { listQuery, page } from './paging.ts'
import { Id, Instant, idList, idParams, key, Named, ReadVersion } from './values.ts'

/** A message as lists show it. */
export const MessageRow = z
  .object({
    id: z.number(),
    textContent: z.string(),
    hasVariables: z.boolean().meta({
      description:
        'Whether double braces in the text are variables, unless they follow a backslash. Texts from before stay as they are until somebody edits them',
    }),
    imageUrl: z.string().nullable(),
    content: MessageContent.nullable().meta({
      description:
        'A file, a poll or a place. Null for a text, and for a text with an image. `textContent` is the caption, else the name of the file, the question or the place',
    }),
    instanceId: z.number().nullable(),
    instanceName: z.string().nullable(),
    isShared: z.boolean().meta({
      description:
        'A shared template: an Admin’s message without an account. All may read and use it; only its author and Admins may change it',
    }),
    createdByUserName: z.string(),
    createdAt: Instant,
  })
  .meta({ id: 'MessageRow' })
export type MessageRow = z.output<typeof MessageRow>

/** A single message with its assigned groups. */
export const Message = MessageRow.extend({
  assignedGroups: z.array(Named),
  /** Increases with each edit by a person. */
  version: z.number(),
}).meta({ id: 'Message' })
export type Message = z.output<typeof Message>

type FormId = number | string

// Multipart forms contain only text: an empty instanceId means none, and a single groupId arrives without a list.
const optionalId = z
  .preprocess((value: FormId | null) => (value === '' ? null : value), Id.nullable())
  .default(null)
const formIds = z
  .preprocess(
    (value: FormId | FormId[]) => (value === '' ? [] : Array.isArray(value) ? value : [value]),
    idList(10_000),
  )
  .default([])

export const textContent = z
  .string(key('MESSAGE.TEXT_REQUIRED'))
  // Browsers send line breaks in multipart forms as CR LF. The length limit and the message need the typed LF.
  .overwrite((text) => text.replaceAll('\r\n', '\n'))
  .max(limits.messageText, key('MESSAGE.TEXT_TOO_LONG'))

const content = NewContent.nullish().describe(
  'A file that was uploaded before, a poll or a place. The text is its caption, its question or its name.',
)

/** A message that is written, without its account and groups. */
export const WrittenMessage = requireText(z.object({ textContent, content }))

const messageFields = { textContent, content, instanceId: optionalId, groupIds: formIds }

export const NewMessage = requireText(z.object(messageFields))
export type NewMessage = z.output<typeof NewMessage>

/**
 * Replaces a message. An image stays unless `removeImage` is set or a new file is sent. A content that is left out
 * stays, too; null leaves the text alone.
 */
export const MessageChange = requireText(
  z.object({
    ...messageFields,
    removeImage: z
      .preprocess(
        (value: boolean | string) => value === true || value === 'true' || value === 'on',
        z.boolean(),
      )
      .default(false),
    version: ReadVersion,
  }),
)
export type MessageChange = z.output<typeof MessageChange>

const testFields = {
  // Coerced, because numbers in multipart forms are text.
  instanceId: z.coerce
    .number<number | string>(key('JOB.INSTANCE_REQUIRED'))
    .int()
    .positive(key('JOB.INSTANCE_REQUIRED')),
  phoneNumber: z
    .string(key('JOB.TEST_PHONE_INVALID'))
    .trim()
    .min(1, key('JOB.TEST_PHONE_INVALID'))
    .max(50, key('JOB.TEST_PHONE_INVALID')),
}

/** From which account a test goes to whom. */
export const TestRecipient = z.object(testFields)

/** A test send of a message, saved or not, to one phone number. An image may be sent as a file. */
export const TestMessage = requireText(
  z.object({
    textContent,
    content,
    ...testFields,
    /** The id of the saved message whose image is used, if no file is sent. */
    imageOf: Id.nullable().default(null),
    /** The contact whose values stand for the variables. */
    contactId: Id.nullable().default(null),
  }),
)
export type TestMessage = z.output<typeof TestMessage>

export const MessageListQuery = listQuery(['id', 'textContent', 'createdByUserName', 'createdAt'], {
  sortBy: 'id',
  sortDirection: 'desc',
})
export type MessageListQuery = z.output<typeof MessageListQuery>

const create = {
  method: 'POST',
  access: 'canWriteMessages',
  allowsApiKeys: true,
  body: NewMessage,
  response: Message,
  status: 201,
  upload: 'imageFile',
} as const

const update = {
  method: 'PUT',
  access: 'canWriteMessages',
  params: idParams,
  body: MessageChange,
  response: Message,
} as const

export const messages = {
  list: endpoint({
    method: 'GET',
    path: '/messages',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'List the messages you may see',
    query: MessageListQuery,
    response: page(MessageRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/messages/:id',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'One message',
    params: idParams,
    response: Message,
  }),
  create: endpoint({ ...create, path: '/messages', summary: 'Create a message' }),
  createWithFile: endpoint({
    ...create,
    path: '/messages/with-file',
    summary: 'Create a message with an image',
  }),
  update: endpoint({ ...update, path: '/messages/:id', summary: 'Change a message' }),
  updateWithFile: endpoint({
    ...update,
    path: '/messages/:id/with-file',
    summary: 'Change a message and its image',
    upload: 'imageFile',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/messages/:id',
    access: 'canWriteMessages',
    summary: 'Delete a message',
    params: idParams,
  }),
  bulkDelete: endpoint({
    method: 'POST',
    path: '/messages/bulk-delete',
    access: 'canWriteMessages',
    summary: 'Delete several messages, all or none',
    body: z.object({ ids: idList(limits.pageSizeMax, { min: 1 }) }),
  }),
}
