import { answer, button, pressRowAction, type View } from './view.ts'

const apiKey = {
  ...{ id: 1, name: 'Hệ thống bán hàng', start: 'sendroom_x7Kq', owner: { id: 1, name: 'admin' } },
  ...{ rights: ['canWriteMessages', 'canCreateJobs'], instances: null, addresses: [] },
  ...{ createdAt: '2026-11-20T08:00:00.000Z', expiresAt: '2027-11-20T08:00:00.000Z', hasExpired: false },
  ...{ lastUsedAt: '2026-11-22T20:12:00.000Z', lastUsedAddress: '203.0.113.7' },
}
const long = {
  ...{ ...apiKey, id: 2, name: 'Máy tính tiền ở cửa hàng '.repeat(3).trim(), start: 'sendroom_a0Zz' },
  owner: { id: 2, name: 'nguyen.thi.phuong.thao.chi.nhanh.da.nang' },
  rights: [
    ...['canWriteMessages', 'canCreateJobs', 'canExportParticipants'],
    ...['canUseContacts', 'canManageContacts', 'canMentionAll'],
  ],
  instances: Array.from({ length: 6 }, (_, n) => ({ id: n + 1, name: `Cửa hàng Đà Nẵng số ${n + 1}` })),
  addresses: ['203.0.113.0/24', '2001:db8:1234:5678:9abc:def0:1234:5678'],
  lastUsedAddress: '2001:db8:1234:5678:9abc:def0:1234:5678',
}
const expired = {
  ...{ ...apiKey, id: 3, name: 'ERP', start: 'sendroom_9mmT', rights: [], instances: [] },
  ...{ expiresAt: '2026-11-21T08:00:00.000Z', hasExpired: true, lastUsedAt: null, lastUsedAddress: null },
}
const someKeys = {
  data: [apiKey, long, expired],
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount: 3, totalPages: 1 },
    ...{ hasPrevious: false, hasNext: false },
  },
}

/** The pages of API keys. */
export const apiKeyViews: Record<string, View> = {
  'keys-none': { path: '/api-keys' },
  keys: { path: '/api-keys', answers: { '/api-keys?*': someKeys } },
  'keys-revoke': {
    path: '/api-keys',
    answers: { '/api-keys?*': someKeys },
    keepsWords: true,
    open: (page, t) => pressRowAction(page, t, 'API_KEY.REVOKE'),
  },
  'keys-new': { path: '/api-keys/new' },
  'keys-errors': {
    path: '/api-keys/new',
    keepsWords: true,
    open: async (page, t) => {
      await page.getByRole('checkbox', { name: t('API_KEY_FORM.ALL_ACCOUNTS') }).click()
      const addresses = page.getByRole('combobox', { name: t('API_KEY.ADDRESSES') })
      await addresses.fill('203.0.113.0/99')
      await addresses.press('Enter')
      await button(page, t('COMMON.SAVE')).click()
    },
  },
  'keys-secret': {
    path: '/api-keys/new',
    open: async (page, t) => {
      await answer(page, '/api-keys', 201, { apiKey, secret: `sendroom_${'aZ3x7'.repeat(9)}T0pQ` })
      await page.getByRole('textbox', { name: t('API_KEY_FORM.NAME') }).fill('Shop')
      await button(page, t('COMMON.SAVE')).click()
      await page.getByRole('textbox', { name: t('API_KEY.KEY') }).waitFor()
    },
  },
}
