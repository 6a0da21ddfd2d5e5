import type { Contact } from '@sendroom/contract/contacts'
import i18next from 'i18next'

/** How a contact is called where there is one line for it: by the name, or else by a number. */
export const contactName = ({ name, phoneNumbers, lid }: Pick<Contact, 'name' | 'phoneNumbers' | 'lid'>) =>
  name || phoneNumbers[0] || i18next.t('CONTACT.HIDDEN', { lid })
