import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { isInsertable } from './personal-text.ts'
import { idParams, isForm, key } from './values.ts'

export const contactFieldTypes = ['text', 'number', 'date', 'yesNo', 'choice'] as const
export type ContactFieldType = (typeof contactFieldTypes)[number]

const invalidChoices = key('CONTACT_FIELD_FORM.CHOICES_INVALID')
const choices = z
  .array(
    z
      .string(invalidChoices)
      .trim()
      .min(1, invalidChoices)
      .max(limits.contactValue, invalidChoices)
      .refine(isInsertable, invalidChoices),
    invalidChoices,
  )
  .max(limits.contactChoices, invalidChoices)
  .refine((list) => new Set(list).size === list.length, invalidChoices)

const form = z.object({
  name: z
    .string(key('CONTACT_FIELD_FORM.NAME_INVALID'))
    .trim()
    .min(1, key('CONTACT_FIELD_FORM.NAME_INVALID'))
    .max(limits.contactFieldName, key('CONTACT_FIELD_FORM.NAME_INVALID')),
  choices: choices.default([]),
})

export const NewContactField = form
  .extend({
    key: z
      .string(key('CONTACT_FIELD_FORM.KEY_INVALID'))
      .max(limits.contactFieldKey, key('CONTACT_FIELD_FORM.KEY_INVALID'))
      .regex(/^[a-z][a-z0-9_]*$/, key('CONTACT_FIELD_FORM.KEY_INVALID'))
      .refine((name) => name !== 'name', key('CONTACT_FIELD_FORM.KEY_RESERVED')),
    type: z.enum(contactFieldTypes),
  })
  .refine(({ type, choices }) => hasFittingChoices(type, choices), {
    path: ['choices'],
    message: invalidChoices,
    when: isForm,
  })
export type NewContactField = z.output<typeof NewContactField>

/** Whether there are choices exactly if the type needs them. */
export const hasFittingChoices = (type: ContactFieldType, list: readonly string[] | undefined) =>
  (type === 'choice') === Boolean(list?.length)

/** Replaces name and choices. Key and type never change, because texts name the key. */
export const ContactFieldChange = form
export type ContactFieldChange = z.output<typeof ContactFieldChange>

/** A field of contacts that an Admin has defined. */
export const ContactField = z
  .object({
    id: z.number(),
    key: z.string(),
    name: z.string(),
    type: z.enum(contactFieldTypes),
    choices: z.array(z.string()),
    isUsed: z.boolean().meta({ description: 'Whether a contact has a value in the field' }),
  })
  .meta({ id: 'ContactField' })
export type ContactField = z.output<typeof ContactField>

export const contactFields = {
  list: endpoint({
    method: 'GET',
    path: '/contact-fields',
    access: 'canManageContacts',
    allowsApiKeys: true,
    summary: 'The fields that contacts have',
    response: z.object({ fields: z.array(ContactField) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/contact-fields',
    access: 'admin',
    summary: 'Define a field of contacts',
    body: NewContactField,
    response: ContactField,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/contact-fields/:id',
    access: 'admin',
    summary: 'Change the name and the choices of a field; a choice that a contact has can’t be removed',
    params: idParams,
    body: ContactFieldChange,
    response: ContactField,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/contact-fields/:id',
    access: 'admin',
    summary: 'Delete a field in which no contact has a value',
    params: idParams,
  }),
}
