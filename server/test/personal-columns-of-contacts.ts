import type { Columns } from './column-notes.ts'

// Contacts and what belongs to them: see personal-columns.ts.

const CONTACTS = 'whoever may manage contacts, also as CSV and Excel; of shared lists, whoever may use them'
const IMPORTERS = 'whoever imports, and Admins'
const NOBODY = 'nobody'

export const columnsOfContacts: Record<string, Columns> = {
  contact_fields: { other: ['key', 'name', 'type', 'choices'] },
  contact_identities: {
    personal: {
      value: 'a phone number, or the number that WhatsApp shows instead of a hidden one',
      whatsapp_phone: 'the number by which WhatsApp knows it',
    },
    kept: 'until the contact is deleted or loses the number',
    shownTo: CONTACTS,
    other: ['kind'],
  },
  contact_values: {
    personal: { value: 'what a field says of the contact' },
    kept: 'until the contact is deleted or the value removed',
    shownTo: CONTACTS,
  },
  contacts: {
    personal: {
      name: 'the name',
      note: 'the note',
      numbers: 'the phone numbers, for the search',
      search_text: 'the above, for the search',
      source_name: 'the user who added the contact, or the file or account that it was imported from',
    },
    kept: 'until the contact is deleted, or so many days after its last use as **Retention** says',
    shownTo: CONTACTS,
    other: ['source'],
  },
  due_number_checks: {
    personal: { phone: 'a number to be checked' },
    kept: 'until it is checked',
    shownTo: NOBODY,
  },
  due_replies: {
    personal: { phone: 'a number that has written to the account' },
    kept: 'a few seconds, until a worker has counted it',
    shownTo: NOBODY,
  },
  import_parts: {
    personal: { bytes: 'an uploaded file with contacts, in pieces' },
    kept: 'until the import begins or is removed, or 24 hours; never in a backup',
    shownTo: IMPORTERS,
  },
  import_rows: {
    personal: {
      value: 'the number of a person who is not imported yet',
      name: 'the name',
      note: 'the note',
      tags: 'what the person is called',
      field_values: 'the values of fields',
      cells: 'a row that was not imported, or not yet',
      problem: 'what is wrong with the row: perhaps the number that was meant',
      before: 'what a contact had before the import changed it, also of one who was deleted since',
    },
    kept: 'until the import begins or is removed, or 24 hours; refused rows, and what undo needs, for 30 days',
    shownTo: IMPORTERS,
    other: ['kind', 'outcome', 'tag_ids', 'undone'],
  },
  imports: {
    personal: {
      file_name: 'the name of a file, which may be that of a person',
      header: 'the first row of a file',
      reading: 'the sheet of a file',
      tags: 'what all people of the import are called',
      consent: 'why these people may be written to',
      user_name: 'who uploaded the file',
      started_by: 'who said so',
    },
    kept: 'for ever, because they prove the consent; imports that have not begun, for 24 hours',
    shownTo: IMPORTERS,
    other: ['source', 'group_ids', 'status', 'fault', 'known'],
  },
  instance_people: {
    personal: { phone: 'a number that the account has written to, or that has written to it' },
    kept: '400 days after the last message, or until the account is deleted',
    shownTo: NOBODY,
    other: ['last_sent_at'],
  },
  known_lids: {
    personal: { lid: 'what WhatsApp shows instead of a number', phone: 'that number' },
    kept: 'always',
    shownTo: NOBODY,
  },
  lists: {
    personal: {
      name: 'the name of a list of contacts',
      filter: 'the words and values that a list filters by',
      created_by_user_name: 'who created the list',
    },
    other: ['kind'],
    kept: 'until the list is deleted',
    shownTo: 'whoever may manage contacts, and whom the list is shared with',
  },
  number_checks: {
    personal: { phone: 'a number that was checked', whatsapp_phone: 'the number by which WhatsApp knows it' },
    kept: '30 days',
    shownTo: CONTACTS,
    other: ['answer'],
  },
  opt_ins: {
    personal: { phone: 'a number that wants messages again', lid: 'the same, if the number is hidden' },
    kept: '400 days, or until the account is deleted',
    shownTo: NOBODY,
    other: ['provider_message_id'],
  },
  opt_out_settings: { other: ['words'] },
  opt_outs: {
    personal: {
      phone: 'who opted out',
      lid: 'the same, if the number is hidden',
      words: 'what somebody wrote to opt out, or a note about them',
      search_text: 'the above, for the search',
      created_by_user_name: 'the user who entered it',
      ended_by_user_name: 'the user who ended it',
      ended_reason: 'why it ended, in the words of that user',
    },
    kept: 'always: an opt-out outlives the contact',
    shownTo: 'whoever may manage contacts',
    other: ['source', 'provider_message_id'],
  },
  opted_out: {
    personal: { value: 'a number, or what WhatsApp shows instead, that gets no more messages' },
    kept: 'until the opt-out ends',
    shownTo: 'whoever may manage contacts',
    other: ['kind'],
  },
  possible_opt_outs: {
    personal: {
      phone: 'who wrote a message that may have meant it',
      lid: 'the same, if the number is hidden',
      words: 'that message',
      decided_by_user_name: 'the user who decided',
    },
    kept: '90 days after the decision, or until the account is deleted',
    shownTo: 'whoever may manage contacts',
    other: ['why', 'provider_message_id'],
  },
  tags: {
    personal: { name: 'what some contacts are called' },
    kept: 'until the tag is deleted',
    shownTo: CONTACTS,
  },
}
