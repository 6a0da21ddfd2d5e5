import type { ContactField } from '@sendroom/contract/contact-fields'
import type { Contact } from '@sendroom/contract/contacts'

export const contact: Contact = {
  id: 5,
  name: 'Nguyễn Lan',
  note: 'Likes tea',
  phoneNumbers: ['+84901234567', '+84912345678'],
  lid: null,
  tags: [{ id: 1, name: 'VIP' }],
  values: { city: 'Huế' },
  optedOutAt: null,
  source: 'form',
  sourceName: 'minh',
  createdAt: '2026-11-22T08:00:00.000Z',
  version: 3,
}

const field = { id: 1, choices: [], isUsed: false }
export const fields: ContactField[] = [
  { ...field, key: 'city', name: 'City', type: 'choice', choices: ['Huế', 'Hà Nội'], isUsed: true },
  { ...field, id: 2, key: 'born', name: 'Born', type: 'date' },
  { ...field, id: 3, key: 'points', name: 'Points', type: 'number' },
  { ...field, id: 4, key: 'adult', name: 'Adult', type: 'yesNo' },
]
