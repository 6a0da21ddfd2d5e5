import { z } from 'zod'
import { ContactSelection } from './contacts.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { numberAnswers } from './number-answers.ts'
import { firstOf, Id, Instant, idParams, isForm, key, Named, Reason } from './values.ts'

/** The numbers that an account checks now. */
export const NumberCheckQueue = z
  .object({
    instance: Named,
    waiting: z.number().meta({ description: 'Numbers that wait to be checked' }),
    mine: z.number().meta({ description: 'Those of them that you have asked for' }),
    checkedToday: z.number(),
    perDay: z.number().meta({ description: 'The most numbers that the account checks in a day' }),
    reason: Reason.nullable().meta({ description: 'Why the account checks none now. Null if it does' }),
  })
  .meta({ id: 'NumberCheckQueue' })
export type NumberCheckQueue = z.output<typeof NumberCheckQueue>

/** For so many numbers as a user may have waiting. */
const MAX_TEXT = 200_000

const phoneNumbers = z
  .string(key('NUMBER_CHECK.PHONE_REQUIRED'))
  .trim()
  .max(MAX_TEXT, key('NUMBER_CHECK.TOO_MANY'))
  .describe('Separated by commas, semicolons, tabs or new lines. What is no phone number is left out')

export const NewNumberChecks = z
  .object({
    instanceId: Id.describe('The account that checks the numbers'),
    contacts: ContactSelection.nullish().describe('The first number of each of them is checked'),
    phoneNumbers: phoneNumbers.default(''),
    allowsMetered: z
      .boolean()
      .default(false)
      .describe('On a trial channel, whose calls are counted, nothing is checked without this'),
  })
  .refine(({ contacts, phoneNumbers }) => contacts || phoneNumbers !== '', {
    path: ['phoneNumbers'],
    error: key('NUMBER_CHECK.PHONE_REQUIRED'),
    when: isForm,
  })
export type NewNumberChecks = z.output<typeof NewNumberChecks>

/** The outcome to expect if typed numbers were checked now. */
export const NumberCheckPreview = z
  .object({
    numbers: z.number(),
    duplicates: z.number(),
    unreadable: firstOf(z.string()).meta({ description: 'Entries that are no phone numbers' }),
  })
  .meta({ id: 'NumberCheckPreview' })
export type NumberCheckPreview = z.output<typeof NumberCheckPreview>

const Queued = z.object({
  queued: z.number(),
  known: z.number().meta({
    description: `Numbers that were checked in the last ${limits.numberCheckDays} days, or wait already`,
  }),
})
export type Queued = z.output<typeof Queued>

export const NumberCheck = z.object({
  phoneNumber: z.string(),
  answer: z.enum(numberAnswers).nullable().meta({ description: 'Null if the number was not checked' }),
  checkedAt: Instant.nullable(),
  isTest: z
    .boolean()
    .meta({ description: 'Whether a test account has checked it, which says nothing of WhatsApp' }),
  isWaiting: z.boolean(),
})
export type NumberCheck = z.output<typeof NumberCheck>

const access = 'canManageContacts'

export const numberChecks = {
  list: endpoint({
    method: 'GET',
    path: '/number-checks',
    access,
    summary: 'The numbers that your accounts check now',
    response: z.object({ queues: z.array(NumberCheckQueue) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/number-checks',
    access,
    summary: `Check whether contacts or typed numbers are on WhatsApp: one number in 2 to 3 seconds, ${limits.numberChecksPerDay} a day at most`,
    body: NewNumberChecks,
    response: Queued,
    status: 202,
  }),
  preview: endpoint({
    method: 'POST',
    path: '/number-checks/preview',
    access,
    summary: 'Preview a check of typed numbers: which are no phone numbers, and which need no check',
    body: z.object({ phoneNumbers }),
    response: NumberCheckPreview,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/number-checks/:id/stop',
    access,
    summary: 'Stop the checks that you have asked of an account; an Admin stops all of them',
    params: idParams,
    response: z.object({ stopped: z.number() }),
  }),
  ofContact: endpoint({
    method: 'GET',
    path: '/contacts/:id/number-checks',
    access,
    summary: 'Whether the numbers of a contact are on WhatsApp',
    params: idParams,
    response: z.object({ numbers: z.array(NumberCheck) }),
  }),
}
