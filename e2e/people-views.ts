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

const page = <Row>(data: Row[]) => ({
  data,
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount: data.length, totalPages: 1 },
    hasPrevious: false,
    hasNext: false,
  },
})

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
  return page(data)
}

/** Opt-outs of every kind, the first with the longest texts. */
function someOptOuts() {
  const saidAt = '2026-11-22T20:12:00.000Z'
  const optOut = {
    ...{ phoneNumber: '+84901234567', lid: null, contact: { id: 1, name: 'Nguyễn Thị Lan' } },
    ...{
      source: 'message',
      sameAs: null,
      words: 'Dừng',
      instance: { id: 1, name: 'Shop Hà Nội' },
      isForAll: true,
      saidAt,
    },
    ...{ createdBy: null, holds: true, endedAt: null, endedBy: null, endedReason: null },
  }
  const long = 'Khách gọi điện và nói rằng không muốn nhận tin quảng cáo nữa. '.repeat(6).trim()
  return page([
    { ...optOut, id: 5, source: 'form', words: long, createdBy: 'admin' },
    { ...optOut, id: 4 },
    { ...optOut, id: 3, isForAll: false, source: 'review', words: 'cho tôi dừng nhé', createdBy: 'admin' },
    { ...optOut, id: 2, phoneNumber: null, lid: '123456789012345', contact: null },
    {
      ...optOut,
      ...{
        id: 1,
        holds: false,
        endedAt: saidAt,
        endedBy: 'admin',
        endedReason: 'Khách gọi điện và muốn nhận lại.',
      },
    },
  ])
}

function somePossible() {
  const message = {
    ...{ phoneNumber: '+84901234567', lid: null, contact: { id: 1, name: 'Nguyễn Thị Lan' }, version: 1 },
    ...{ instance: { id: 1, name: 'Shop Hà Nội' }, saidAt: '2026-11-22T20:12:00.000Z' },
  }
  return page([
    { ...message, id: 4, why: 'contains', words: 'cho tôi dừng nhé' },
    { ...message, id: 3, why: 'no_accents', words: 'dung', contact: null },
    {
      ...message,
      id: 2,
      why: 'complaint',
      words: `Shop làm phiền quá, ${'đừng gửi tin cho tôi nữa. '.repeat(8)}`,
    },
    { ...message, id: 1, why: 'unknown_person', words: 'STOP', phoneNumber: null, contact: null },
  ])
}

const twoNumbers = {
  numbers: 1234,
  duplicates: 2,
  unreadable: { total: 12, first: ['Chị Lan', '12'] },
}

function someChecks() {
  const queue = { waiting: 40, mine: 40, checkedToday: 3, perDay: 1000, reason: null }
  return {
    queues: [
      { ...queue, instance: { id: 1, name: 'Shop Hà Nội' } },
      { ...queue, instance: { id: 2, name: 'Kho Bình Dương' }, waiting: 4000 },
      {
        ...{ ...queue, instance: { id: 3, name: 'Shop Đà Nẵng' }, mine: 0 },
        reason: { code: 'account_not_linked', params: {} },
      },
    ],
  }
}

/** The answers about the numbers of a contact: each of them once. */
const checkedNumbers = {
  numbers: (['yes', 'no', 'unknown', null] as const).map((answer, n) => ({
    phoneNumber: `+8490123456${n}`,
    answer,
    checkedAt: answer && '2026-11-20T08:00:00.000Z',
    isWaiting: answer === null,
  })),
}
const checkedContact = {
  ...hidden,
  name: 'Nguyễn Thị Lan',
  lid: null,
  phoneNumbers: checkedNumbers.numbers.map(({ phoneNumber }) => phoneNumber),
}

const optOuts = { '/opt-outs/search': someOptOuts() }
const possible = { '/possible-opt-outs?*': somePossible() }

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
  'contacts-check': {
    path: '/contacts',
    keepsWords: true,
    open: async (page, t) => {
      await selectFirst(page)
      await button(page, t('NUMBER_CHECK.ACTION')).click()
      await page.getByRole('dialog').locator('button[type=submit]').click()
    },
  },
  'contacts-check-list': {
    path: '/contacts',
    answers: { '/number-checks/preview': twoNumbers },
    open: async (page, t) => {
      await button(page, t('NUMBER_CHECK.LIST')).click()
      await page.getByRole('dialog').getByRole('textbox').first().fill('0901234567\nChị Lan')
      await page.getByText(/Chị Lan(, |、)12/).waitFor()
    },
  },
  'contacts-checking': { path: '/contacts', answers: { '/number-checks': someChecks() } },
  'contacts-page-checked': {
    path: '/contacts/4',
    answers: { '/contacts/4': checkedContact, '/contacts/4/number-checks': checkedNumbers },
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
  'contacts-page-opt-outs': { path: `/contacts/${EVERYTHING}`, answers: optOuts },
  'contacts-opt-out': {
    path: `/contacts/${EVERYTHING}`,
    keepsWords: true,
    open: (page, t) => button(page, t('OPT_OUT.OPT_OUT')).click(),
  },
  'opt-outs': { path: '/opt-outs', answers: optOuts },
  'opt-outs-none': { path: '/opt-outs', as: 'first' },
  'opt-outs-end': {
    path: '/opt-outs',
    answers: optOuts,
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'OPT_OUT.END'),
  },
  'opt-outs-new': { path: '/opt-outs/new' },
  'opt-outs-added': {
    path: '/opt-outs/new',
    keepsWords: true,
    isWhole: true,
    open: async (page, t) => {
      const answer = {
        added: 1234,
        known: 3,
        duplicates: 2,
        unreadable: { total: 12, first: ['Chị Lan', '12'] },
      }
      await page.route('**/api/opt-outs', (route) => route.fulfill({ status: 201, json: answer }))
      await page.getByRole('textbox', { name: t('OPT_OUT.NUMBERS') }).fill('0901234567')
      await page.getByRole('main').locator('button[type=submit]').click()
      await page.getByText(/Chị Lan(, |、)12/).waitFor()
    },
  },
  'opt-outs-errors': {
    path: '/opt-outs/new',
    keepsWords: true,
    open: (page) => page.getByRole('main').locator('button[type=submit]').click(),
  },
  'possible-opt-outs': { path: '/possible-opt-outs', answers: possible },
  'possible-opt-outs-none': { path: '/possible-opt-outs' },
  'opt-outs-settings': { path: '/settings/opt-outs' },
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
