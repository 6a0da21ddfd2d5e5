import { button, meetConflict, pressRowAction, selectFirst, showRowActions, type View } from './view.ts'

/** The contact that has all that one can have. */
const EVERYTHING = 1

export const peopleViews: Record<string, View> = {
  contacts: { path: '/contacts' },
  'contacts-first': { path: '/contacts', as: 'first' },
  'contacts-actions': { path: '/contacts', open: showRowActions },
  'contacts-filter': {
    path: '/contacts',
    isWhole: true,
    open: async (page, t) => {
      await page.getByLabel(t('CONTACT.FILTER_FIELD')).selectOption('city')
      await page.getByRole('searchbox').fill('lan')
      await button(page, t('COMMON.SEARCH')).click()
      await page.getByRole('combobox', { name: t('CONTACT.TAGS') }).click()
    },
  },
  'contacts-tag': {
    path: '/contacts',
    keepsWords: true,
    open: async (page, t) => {
      await selectFirst(page)
      await button(page, t('CONTACT.CHANGE_TAGS')).click()
    },
  },
  'contacts-delete': {
    path: '/contacts',
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'COMMON.DELETE'),
  },
  'contacts-new': { path: '/contacts/new' },
  'contacts-errors': {
    path: '/contacts/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'contacts-edit': { path: `/contacts/edit/${EVERYTHING}` },
  'contacts-conflict': {
    path: `/contacts/edit/${EVERYTHING}`,
    keepsWords: true,
    open: (page, t) => meetConflict(page, t, 'CONTACT.NAME', 'Chị Tuyết'),
  },
  'contacts-page': { path: `/contacts/${EVERYTHING}` },
  fields: { path: '/settings/fields' },
  'fields-none': { path: '/settings/fields', as: 'first' },
  'fields-new': { path: '/settings/fields/new' },
  'fields-errors': {
    path: '/settings/fields/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'fields-edit': { path: '/settings/fields/edit/1' },
  'fields-actions': { path: '/settings/fields', open: showRowActions },
}
