import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Instant, key } from './values.ts'

export const NumberToFind = z
  .object({
    phoneNumber: z
      .string(key('PERSONAL_DATA.PHONE_REQUIRED'))
      .trim()
      .min(1, key('PERSONAL_DATA.PHONE_REQUIRED'))
      .max(60, key('PERSONAL_DATA.PHONE_INVALID')),
  })
  .meta({ id: 'NumberToFind' })
export type NumberToFind = z.output<typeof NumberToFind>

/** An Admin wants a number to be forgotten. */
export const ForgetRequest = z
  .object({
    id: z.number(),
    phoneNumber: z
      .string()
      .nullable()
      .meta({ description: 'In E.164 with +. Null once the number is forgotten' }),
    requestedBy: z.string(),
    requestedAt: Instant,
    unsettled: z.number().meta({
      description: 'The messages that it waits for, because nobody knows yet whether they arrived',
    }),
    erased: z.number().meta({ description: 'How many rows were deleted or emptied' }),
    doneAt: Instant.nullable(),
  })
  .meta({ id: 'ForgetRequest' })
export type ForgetRequest = z.output<typeof ForgetRequest>

export const personalData = {
  export: endpoint({
    method: 'POST',
    path: '/personal-data/export',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Everything that is stored about a phone number, as a JSON file',
    body: NumberToFind,
    download: 'application/json; charset=utf-8',
  }),
  forget: endpoint({
    method: 'POST',
    path: '/personal-data/forget',
    access: 'admin',
    needsConfirmation: true,
    summary:
      'Forget a phone number for good. Queued messages to the number are skipped at once; the rest happens in the background',
    body: NumberToFind,
    response: ForgetRequest,
    status: 202,
  }),
  requests: endpoint({
    method: 'GET',
    path: '/personal-data/forget-requests',
    access: 'admin',
    summary: 'The last 100 requests to forget a number, the latest first',
    response: z.array(ForgetRequest),
  }),
}
