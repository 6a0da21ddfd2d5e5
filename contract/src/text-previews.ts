import { z } from 'zod'
import { contactFieldTypes } from './contact-fields.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { Id, key } from './values.ts'

/** A variable that texts may name beside `name`: a field of contacts. */
export const TextVariable = z
  .object({ key: z.string(), name: z.string(), type: z.enum(contactFieldTypes) })
  .meta({ id: 'TextVariable' })
export type TextVariable = z.output<typeof TextVariable>

/** A field of texts that are not saved yet. */
export const isPoll = z
  .boolean()
  .default(false)
  .describe('Whether the text is the question of a poll, which can have fewer characters')

export const TextPreviewQuery = z.object({
  textContent: z.string().max(limits.messageText, key('MESSAGE.TEXT_TOO_LONG')),
  isPoll,
  after: Id.nullable()
    .default(null)
    .describe(
      'The contact after which the next one is looked for, in the order of their ids; null begins anew',
    ),
  onlyProblems: z
    .boolean()
    .default(false)
    .describe('Looks for the next contact who lacks a value, or for whom the text gets too long'),
})
export type TextPreviewQuery = z.output<typeof TextPreviewQuery>

/** A text as a contact would get it. */
export const TextPreview = z
  .object({
    contact: z
      .object({ id: z.number(), name: z.string(), phoneNumber: z.string().nullable() })
      .nullable()
      .meta({ description: 'Null if there is no further one' }),
    text: z.string(),
    missing: z
      .array(z.string())
      .meta({ description: 'The variables without a value and without a fallback' }),
    isTooLong: z.boolean(),
  })
  .meta({ id: 'TextPreview' })
export type TextPreview = z.output<typeof TextPreview>

/** The endpoints of texts with variables, which are among those of `messages`. */
export const textPreviews = {
  variables: endpoint({
    method: 'GET',
    path: '/text-variables',
    access: 'signedIn',
    summary: 'The fields of contacts that texts of messages may name, beside the name',
    response: z.object({ variables: z.array(TextVariable) }),
  }),
  preview: endpoint({
    method: 'POST',
    path: '/text-previews',
    access: 'canUseContacts',
    summary: 'A text, saved or not, as the next contact that you see would get it',
    body: TextPreviewQuery,
    response: TextPreview,
  }),
}
