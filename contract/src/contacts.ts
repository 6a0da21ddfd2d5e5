import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { languages } from './languages.ts'
import { limits } from './limits.ts'
import { numberAnswers } from './number-answers.ts'
import { listQuery, page } from './paging.ts'
import { isInsertable } from './personal-text.ts'
import { recipientOutcomes } from './recipient-outcomes.ts'
import { Id, Instant, idList, idParams, isForm, key, Named, ReadVersion, Reason } from './values.ts'

/** The value of a field: text, a number, true or false, or a date such as 2026-01-31. */
export const Value = z.union([z.string().max(limits.contactValue), z.number(), z.boolean()])
const FieldKey = z.string().max(limits.contactFieldKey)

/** A person, known by a phone number or a hidden number. */
export const Contact = z
  .object({
    id: z.number(),
    name: z.string().meta({ description: 'Empty if only a number is known' }),
    note: z.string(),
    phoneNumbers: z.array(z.string()).meta({
      description: 'In E.164 with +. Messages go to the first one',
    }),
    lid: z.string().nullable().meta({
      description: 'The digits by which WhatsApp knows somebody who hides the number',
    }),
    tags: z.array(Named),
    values: z.record(z.string(), Value).meta({ description: 'The values of fields, by key' }),
    optedOutAt: Instant.nullable().meta({
      description: 'Since when the person wants no messages, from any account or from one',
    }),
    /**
     * Where the contact comes from. `form`: from the user whose name is `sourceName`. `import`: from the file or the
     * account of that name.
     */
    source: z.enum(['form', 'import']),
    sourceName: z.string(),
    createdAt: Instant,
    /** Increases with each edit by a person. */
    version: z.number(),
  })
  .meta({ id: 'Contact' })
export type Contact = z.output<typeof Contact>

const isName = (text: string) => isInsertable(text) && !text.includes('\n')

export const tagNames = z
  .array(
    z
      .string(key('CONTACT_FORM.TAGS_INVALID'))
      .trim()
      .min(1, key('CONTACT_FORM.TAGS_INVALID'))
      .max(limits.tagName, key('CONTACT_FORM.TAGS_INVALID'))
      .refine(isName, key('CONTACT_FORM.TAGS_INVALID')),
  )
  .max(limits.contactTags, key('CONTACT_FORM.TAGS_INVALID'))
  .default([])

const phoneNumbers = z
  .array(
    z
      .string(key('CONTACT_FORM.PHONE_INVALID'))
      .trim()
      .min(1, key('CONTACT_FORM.PHONE_INVALID'))
      .max(50, key('CONTACT_FORM.PHONE_INVALID')),
    key('CONTACT_FORM.PHONES_INVALID'),
  )
  .max(limits.contactNumbers, key('CONTACT_FORM.PHONES_INVALID'))

/** The form of a contact. Empty texts and null count as no value. Who is known by a LID needs no number. */
export const ContactForm = z.object({
  name: z
    .string(key('CONTACT_FORM.NAME_INVALID'))
    .normalize('NFC')
    .trim()
    .max(limits.contactName, key('CONTACT_FORM.NAME_INVALID'))
    .refine(isName, key('CONTACT_FORM.NAME_INVALID'))
    .default(''),
  note: z.string().trim().max(limits.contactNote, key('CONTACT_FORM.NOTE_TOO_LONG')).default(''),
  phoneNumbers: phoneNumbers.default([]),
  tags: tagNames,
  values: z.record(FieldKey, Value.nullable()).default({}),
})

export const NewContact = ContactForm.extend({
  phoneNumbers: phoneNumbers.min(1, key('CONTACT_FORM.PHONES_INVALID')),
})
export type NewContact = z.output<typeof NewContact>

/** Replaces a contact, but its tags: a bulk call may have changed those since the form was filled in. */
export const ContactChange = ContactForm.omit({ tags: true }).extend({
  addTags: tagNames,
  removeTags: tagNames,
  version: ReadVersion,
})
export type ContactChange = z.output<typeof ContactChange>

export const ContactListQuery = listQuery(['id', 'name', 'createdAt'], {
  sortBy: 'name',
  sortDirection: 'asc',
})

/**
 * Contacts that have all of these tags, in each field this value, are in the list, were in the import, and have opted
 * out.
 */
const filterShape = {
  tagIds: idList(limits.contactTags).default([]),
  fields: z
    .array(z.object({ key: FieldKey, value: Value }))
    .max(limits.contactFields)
    .default([]),
  listId: Id.optional(),
  importId: Id.optional(),
  isOptedOut: z.literal(true).optional(),
  onWhatsapp: z
    .enum(numberAnswers)
    .optional()
    .describe('What the last check of the first number has said, if there was one within 30 days'),
}

export const ContactSearch = ContactListQuery.extend(filterShape)
export type ContactSearch = z.output<typeof ContactSearch>

export const ContactFilter = ContactListQuery.pick({ search: true }).extend(filterShape)
export type ContactFilter = z.output<typeof ContactFilter>

/** Either some contacts, or all that match a filter. */
const selectionShape = {
  ids: idList(limits.pageSizeMax, { min: 1 }).optional(),
  filter: ContactFilter.optional(),
}
const isOneSelection = ({ ids, filter }: { ids?: unknown; filter?: unknown }) =>
  (ids === undefined) !== (filter === undefined)
const oneSelection = { path: ['ids'], when: isForm }

export const ContactSelection = z.object(selectionShape).refine(isOneSelection, oneSelection)
export type ContactSelection = z.output<typeof ContactSelection>

/** Adds and removes tags. One that does not exist yet is made. */
export const TagChange = z
  .object({ ...selectionShape, add: tagNames, remove: tagNames })
  .refine(isOneSelection, oneSelection)
export type TagChange = z.output<typeof TagChange>

/**
 * Some contacts, or all that match a filter, for a file. Spreadsheets expect semicolons between the cells of a CSV file
 * in languages that write 1,5.
 */
export const ContactExport = z
  .object({ ...selectionShape, language: z.enum(languages).default('en') })
  .refine(isOneSelection, oneSelection)
export type ContactExport = z.output<typeof ContactExport>

/** A message that a job has sent to a contact, or will send. */
export const ContactJob = z
  .object({
    id: z.number(),
    jobId: z.number(),
    messageTitle: z.string().meta({ description: 'The beginning of the text for this contact' }),
    instance: Named,
    createdAt: Instant.meta({ description: 'When the job was created' }),
    status: z.enum(recipientOutcomes),
    sentAt: Instant.nullable(),
    deliveredAt: Instant.nullable(),
    readAt: Instant.nullable(),
    reason: Reason.nullable().meta({ description: 'Why the message has failed, or the job has skipped it' }),
  })
  .meta({ id: 'ContactJob' })
export type ContactJob = z.output<typeof ContactJob>

const ContactJobsQuery = listQuery(['id'], { sortBy: 'id', sortDirection: 'desc' }).pick({
  page: true,
  pageSize: true,
})
export type ContactJobsQuery = z.output<typeof ContactJobsQuery>

export const Changed = z.object({
  count: z.number().meta({ description: 'The contacts that were changed, deleted, added or removed' }),
  hasMore: z.boolean().meta({
    description: `Whether the call has stopped at ${limits.contactsAtOnce} contacts. Call again for the others`,
  }),
})
export type Changed = z.output<typeof Changed>

/** A contact as a form offers it. */
const ContactChoice = Named.extend({ phoneNumber: z.string() })
export type ContactChoice = z.output<typeof ContactChoice>

const access = 'canManageContacts'

export const contacts = {
  search: endpoint({
    method: 'POST',
    path: '/contacts/search',
    access,
    allowsApiKeys: true,
    summary: 'Search contacts by name, number and note, and filter them by tags and fields',
    body: ContactSearch,
    response: page(Contact),
  }),
  choices: endpoint({
    method: 'POST',
    path: '/contacts/choices',
    access: 'canUseContacts',
    summary: `The first ${limits.contactChoicesAtOnce} contacts that match, of those that you see and that have a phone number`,
    body: z.object({ search: z.string().trim().min(1).max(limits.search) }),
    response: z.object({ contacts: z.array(ContactChoice) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/contacts/:id',
    access,
    allowsApiKeys: true,
    summary: 'One contact',
    params: idParams,
    response: Contact,
  }),
  create: endpoint({
    method: 'POST',
    path: '/contacts',
    access,
    allowsApiKeys: true,
    summary: 'Create a contact',
    body: NewContact,
    response: Contact,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/contacts/:id',
    access,
    allowsApiKeys: true,
    summary: 'Change a contact',
    params: idParams,
    body: ContactChange,
    response: Contact,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/contacts/:id',
    access,
    summary: 'Delete a contact',
    params: idParams,
  }),
  bulkDelete: endpoint({
    method: 'POST',
    path: '/contacts/bulk-delete',
    access,
    summary: 'Delete some contacts, or all that match a filter, which needs the password',
    body: ContactSelection,
    response: Changed,
  }),
  bulkTag: endpoint({
    method: 'POST',
    path: '/contacts/bulk-tag',
    access,
    summary: 'Add tags to some contacts, or to all that match a filter, and remove others',
    body: TagChange,
    response: Changed,
  }),
  jobs: endpoint({
    method: 'GET',
    path: '/contacts/:id/jobs',
    access,
    summary: 'The messages that jobs of your accounts have for a contact, newest first',
    params: idParams,
    query: ContactJobsQuery,
    response: page(ContactJob),
  }),
  exportCsv: endpoint({
    method: 'POST',
    path: '/contacts/export/csv',
    access,
    needsConfirmation: true,
    summary: 'Some contacts, or all that match a filter, as a CSV file',
    body: ContactExport,
    download: 'text/csv; charset=utf-8',
  }),
  exportXlsx: endpoint({
    method: 'POST',
    path: '/contacts/export/xlsx',
    access,
    needsConfirmation: true,
    summary: 'The same as an Excel file',
    body: ContactExport,
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
  tags: endpoint({
    method: 'GET',
    path: '/tags',
    access,
    allowsApiKeys: true,
    summary: 'All tags of contacts, by name',
    response: z.object({ tags: z.array(Named) }),
  }),
  removeTag: endpoint({
    method: 'DELETE',
    path: '/tags/:id',
    access,
    summary: 'Delete a tag. The contacts stay',
    params: idParams,
  }),
}
