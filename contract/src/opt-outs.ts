import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { languages } from './languages.ts'
import { limits } from './limits.ts'
import { OptOutWords, possibleReasons } from './opt-out-words.ts'
import { listQuery, page } from './paging.ts'
import { blankable, firstOf, Id, Instant, idParams, key, Named, ReadVersion } from './values.ts'

const person = {
  phoneNumber: z
    .string()
    .nullable()
    .meta({ description: 'In E.164 with +. Null if only the hidden number is known' }),
  lid: z
    .string()
    .nullable()
    .meta({ description: 'The digits by which WhatsApp knows somebody who hides the number' }),
  contact: Named.nullable(),
}

const writtenTo = Named.nullable().meta({
  description: 'The account that they wrote to. Null if you can’t see it, or nobody wrote',
})

/** Somebody wanted no more messages. */
export const OptOut = z
  .object({
    id: z.number(),
    ...person,
    /**
     * `message`: they wrote so. `review`: a user decided that they meant it. `form`, `import`: a number, or a list.
     * `linked`: the same person has opted out by another number. `forgotten`: the number was forgotten, and came back.
     */
    source: z.enum(['message', 'review', 'form', 'import', 'linked', 'forgotten']),
    sameAs: z.string().nullable().meta({
      description: 'The number for the sake of which this one has opted out, or the digits of a hidden one',
    }),
    words: z.string().meta({ description: 'What they wrote, or the note of whoever entered it' }),
    instance: writtenTo,
    isForAll: z
      .boolean()
      .meta({ description: 'Whether no account writes to them, or only that one does not' }),
    saidAt: Instant,
    createdBy: z.string().nullable().meta({ description: 'The user who entered it' }),
    holds: z.boolean().meta({ description: 'Whether it keeps messages from being sent now' }),
    endedAt: Instant.nullable().meta({
      description: 'When it ended. Null if it holds, or if a later opt-out of the person holds in its place',
    }),
    endedBy: z.string().nullable(),
    endedReason: z.string().nullable(),
  })
  .meta({ id: 'OptOut' })
export type OptOut = z.output<typeof OptOut>

export const OptOutSearch = listQuery(['saidAt'], { sortBy: 'saidAt', sortDirection: 'desc' }).extend({
  only: blankable(z.enum(['holding', 'ended']).optional()),
  contactId: Id.optional(),
})
export type OptOutSearch = z.output<typeof OptOutSearch>

export const OptOutExport = OptOutSearch.pick({ search: true, only: true }).extend({
  language: z.enum(languages).default('en'),
})
export type OptOutExport = z.output<typeof OptOutExport>

const note = (message: Parameters<typeof key>[0]) =>
  z.string(key(message)).trim().max(limits.optOutNote, key(message))

export const NewOptOuts = z.object({
  phoneNumbers: z
    .string(key('OPT_OUT.PHONE_REQUIRED'))
    .max(4_000_000, key('JOB.RECIPIENTS_TOO_MANY'))
    .refine((text) => text.trim() !== '', key('OPT_OUT.PHONE_REQUIRED'))
    .describe('Separated by commas, semicolons, tabs or new lines'),
  note: note('OPT_OUT.NOTE_INVALID').default(''),
})
export type NewOptOuts = z.output<typeof NewOptOuts>

const Added = z.object({
  added: z.number(),
  known: z.number().meta({ description: 'Numbers that had opted out already' }),
  duplicates: z.number(),
  unreadable: firstOf(z.string()).meta({
    description: 'Entries that are no phone numbers. They are left out',
  }),
})
export type Added = z.output<typeof Added>

export const OptOutEnd = z.object({
  reason: note('OPT_OUT.REASON_REQUIRED').min(1, key('OPT_OUT.REASON_REQUIRED')),
})

/** A message that may have meant an opt-out. */
export const PossibleOptOut = z
  .object({
    id: z.number(),
    ...person,
    why: z.enum(possibleReasons),
    words: z.string(),
    instance: writtenTo,
    saidAt: Instant,
    version: z.number(),
  })
  .meta({ id: 'PossibleOptOut' })
export type PossibleOptOut = z.output<typeof PossibleOptOut>

const PossibleQuery = listQuery(['saidAt'], { sortBy: 'saidAt', sortDirection: 'desc' }).pick({
  page: true,
  pageSize: true,
})
export type PossibleQuery = z.output<typeof PossibleQuery>

export const Decision = z.object({
  decision: z.enum(['optOut', 'nothing']),
  phoneNumber: blankable(z.string().trim().max(50, key('OPT_OUT.PHONE_INVALID')).optional()).describe(
    'Whose message it was, for an opt-out of a person whose number is not known',
  ),
  version: ReadVersion,
})
export type Decision = z.output<typeof Decision>

export const OptOutSettings = z
  .object({
    isForAll: z.boolean().meta({
      description: 'Whether an opt-out holds for all accounts, or for the one that was written to',
    }),
    words: OptOutWords,
    version: z.number(),
  })
  .meta({ id: 'OptOutSettings' })
export type OptOutSettings = z.output<typeof OptOutSettings>

export const OptOutSettingsChange = OptOutSettings.extend({ version: ReadVersion })
export type OptOutSettingsChange = z.output<typeof OptOutSettingsChange>

const access = 'canManageContacts'

export const optOuts = {
  search: endpoint({
    method: 'POST',
    path: '/opt-outs/search',
    access,
    allowsApiKeys: true,
    summary: 'Who wants no more messages, by number, words and note, the latest first',
    body: OptOutSearch,
    response: page(OptOut),
  }),
  exportCsv: endpoint({
    method: 'POST',
    path: '/opt-outs/export/csv',
    access,
    needsConfirmation: true,
    summary: 'All opt-outs, or those that match, as a CSV file',
    body: OptOutExport,
    download: 'text/csv; charset=utf-8',
  }),
  exportXlsx: endpoint({
    method: 'POST',
    path: '/opt-outs/export/xlsx',
    access,
    needsConfirmation: true,
    summary: 'The same as an Excel file',
    body: OptOutExport,
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
  create: endpoint({
    method: 'POST',
    path: '/opt-outs',
    access,
    allowsApiKeys: true,
    summary: 'Opt numbers out, one or a whole list. Queued messages to them are skipped',
    body: NewOptOuts,
    response: Added,
    status: 201,
  }),
  end: endpoint({
    method: 'POST',
    path: '/opt-outs/:id/end',
    access,
    summary: 'End an opt-out, for a reason that the audit log keeps',
    params: idParams,
    body: OptOutEnd,
    response: OptOut,
  }),
  possible: endpoint({
    method: 'GET',
    path: '/possible-opt-outs',
    access,
    summary: 'Messages that may have meant an opt-out and wait for a decision, the latest first',
    query: PossibleQuery,
    response: page(PossibleOptOut),
  }),
  decide: endpoint({
    method: 'POST',
    path: '/possible-opt-outs/:id/decide',
    access,
    summary: 'Decide whether a message meant an opt-out',
    params: idParams,
    body: Decision,
  }),
  getSettings: endpoint({
    method: 'GET',
    path: '/opt-out-settings',
    access: 'admin',
    summary: 'The words by which people opt out and in, and for which accounts it holds',
    response: OptOutSettings,
  }),
  updateSettings: endpoint({
    method: 'PUT',
    path: '/opt-out-settings',
    access: 'admin',
    summary: 'Set the words by which people opt out and in, and for which accounts it holds',
    body: OptOutSettingsChange,
    response: OptOutSettings,
  }),
}
