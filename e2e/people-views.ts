import {
  anyToast,
  button,
  meetConflict,
  pressRowAction,
  selectFirst,
  showRowActions,
  type View,
} from './view.ts'

/** The contact that has all that one can have. */
const EVERYTHING = 1

const hidden = {
  ...{
    id: 4,
    name: '',
    note: '',
    phoneNumbers: [],
    lid: '123456789012345',
    tags: [],
    values: {},
    version: 1,
  },
  ...{ source: 'form', sourceName: 'admin', createdAt: '2026-11-22T20:12:00.000Z' },
}

/** Messages of jobs to a contact, with each outcome. */
function someJobs() {
  const at = '2026-11-22T20:12:00.000Z'
  const job = {
    ...{ jobId: 1, messageTitle: 'Chào chị Lan! Tuần này giảm giá 20 % cho khách quen.', createdAt: at },
    ...{ instance: { id: 1, name: 'Shop Hà Nội' }, status: 'Sent', sentAt: at, deliveredAt: at, readAt: at },
    reason: null,
  }
  const notSent = { sentAt: null, deliveredAt: null, readAt: null }
  const data = [
    { ...job, ...notSent, id: 4, status: 'Waiting' },
    { ...job, id: 3 },
    { ...job, id: 2, readAt: null },
    { ...job, ...notSent, id: 1, status: 'Failed', reason: { code: 'not_on_whatsapp', params: {} } },
  ]
  return {
    data,
    pagination: {
      ...{ currentPage: 1, pageSize: 10, totalCount: 4, totalPages: 1 },
      hasPrevious: false,
      hasNext: false,
    },
  }
}

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
  'contacts-all': {
    path: '/contacts',
    isWhole: true,
    open: async (page, t) => {
      await page.getByRole('main').getByLabel(t('COMMON.SELECT_ALL')).check()
      await button(page, t('CONTACT.CHANGE_TAGS')).waitFor()
    },
  },
  'contacts-progress': {
    path: '/contacts',
    keepsWords: true,
    isBusy: true,
    open: async (page, t) => {
      let calls = 0
      await page.route('**/api/contacts/bulk-tag', (route) => {
        calls += 1
        return calls === 1 ? route.fulfill({ json: { count: 10_000, hasMore: true } }) : undefined
      })
      await selectFirst(page)
      await button(page, t('CONTACT.CHANGE_TAGS')).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('CONTACT.ADD_TAGS'), { exact: true }).first().fill('VIP')
      await dialog.getByRole('button', { name: t('COMMON.SAVE') }).click()
      await page.getByRole('progressbar').waitFor()
    },
  },
  'contacts-list': {
    path: '/contacts',
    keepsWords: true,
    open: async (page, t) => {
      await selectFirst(page)
      await button(page, t('CONTACT.ADD_TO_LIST')).click()
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
  'contacts-hidden': { path: '/contacts/edit/4', answers: { '/contacts/4': hidden } },
  'contacts-page': { path: `/contacts/${EVERYTHING}` },
  'contacts-page-jobs': { path: '/contacts/2', answers: { '/contacts/2/jobs*': someJobs() } },
  'contacts-page-hidden': { path: '/contacts/4', answers: { '/contacts/4': hidden } },
  lists: { path: '/lists' },
  'lists-none': { path: '/lists', as: 'first' },
  'lists-actions': { path: '/lists', open: showRowActions },
  'lists-new': { path: '/lists/new' },
  'lists-errors': {
    path: '/lists/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'lists-edit': { path: '/lists/edit/2' },
  'lists-conflict': {
    path: '/lists/edit/1',
    keepsWords: true,
    open: (page, t) => meetConflict(page, t, 'LIST.NAME', 'Khách mới'),
  },
  'lists-fixed': { path: '/lists/1' },
  'lists-filter': { path: '/lists/2' },
  'group-sets': { path: '/group-sets' },
  'group-sets-none': { path: '/group-sets', as: 'first' },
  'group-sets-actions': { path: '/group-sets', open: showRowActions },
  'group-sets-new': { path: '/group-sets/new' },
  'group-sets-errors': {
    path: '/group-sets/new',
    keepsWords: true,
    open: (page, t) => button(page, t('COMMON.SAVE')).click(),
  },
  'group-sets-edit': { path: '/group-sets/edit/1' },
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
  imports: { path: '/imports' },
  'imports-first': { path: '/imports', as: 'first' },
  'imports-account': {
    path: '/imports',
    open: (page, t) => button(page, t('IMPORT.FROM_ACCOUNT')).click(),
  },
  'imports-checked': { path: '/imports/1' },
  'imports-errors': {
    path: '/imports/1',
    keepsWords: true,
    isWhole: true,
    open: async (page, t) => {
      await page.getByRole('main').locator('button[type=submit]').click()
      await anyToast(page, t)
    },
  },
  'imports-done': { path: '/imports/2' },
  'imports-undo': {
    path: '/imports/2',
    keepsWords: true,
    isBusy: true,
    open: (page, t) => button(page, t('IMPORT.UNDO')).click(),
  },
}
