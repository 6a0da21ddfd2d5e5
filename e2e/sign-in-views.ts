import { answer, button, patch, type View } from './view.ts'

/** A picture as large as a QR code. */
const qr = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h3v3H1zM5 1h3v3H5zM1 5h3v3H1zM5 5h1v1H5zM7 7h1v1H7z"/></svg>')}`
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const recoveryCodes = Array.from({ length: 10 }, (_, n) => `abcd-efgh-jkmn-pqrs-tuvw-xy${n}z`)
const none = { hasFactor: false, recoveryCodesLeft: 0, isRequired: true, since: '2026-12-01T02:00:00.000Z' }
const used = { browser: 'Chrome, Android', address: '203.0.113.7', isCurrent: false }
const times = { createdAt: '2026-11-20T08:00:00.000Z', usedAt: '2026-11-26T08:00:00.000Z', idleAt: null }

/** Sign-in with a second factor, and the page about both. */
export const signInViews: Record<string, View> = {
  security: { path: '/security' },
  'security-several': {
    path: '/security',
    answers: {
      '/auth/factor': { hasFactor: true, recoveryCodesLeft: 7, isRequired: false, since: null },
      '/users/*/sessions': {
        sessions: [
          { ...used, ...times, id: 1, browser: 'Firefox, Windows', isCurrent: true },
          { ...used, ...times, id: 2, idleAt: '2026-11-26T15:20:00.000Z' },
        ],
      },
    },
  },
  'factor-set-up': {
    path: '/security',
    // The same path tells of the factor and begins the set-up.
    answers: { '/auth/factor': { ...none, secret, qr } },
    open: async (page, t) => {
      await button(page, t('FACTOR.SET_UP')).click()
      await page.getByAltText(t('FACTOR.QR_ALT')).waitFor()
    },
  },
  'factor-codes': {
    path: '/security',
    answers: { '/auth/factor': { ...none, secret, qr }, '/auth/factor/finish': { recoveryCodes } },
    open: async (page, t) => {
      await button(page, t('FACTOR.SET_UP')).click()
      await page.getByLabel(t('FACTOR.CODE')).fill('123456')
      await page.getByRole('button', { name: t('FACTOR.FINISH') }).click()
      await page.getByText(t('FACTOR.CODES_HINT')).waitFor()
    },
  },
  'factor-gate': {
    path: '/security',
    answers: { '/auth/factor': { ...none, secret, qr } },
    isWhole: true,
    open: async (page, t) => {
      await patch(page, '/auth/me', (me) => ({ ...me, needsFactor: true }))
      await page.reload()
      await page.getByAltText(t('FACTOR.QR_ALT')).waitFor()
    },
  },
  'factor-rule': { path: '/settings/sign-in' },
  'login-code': {
    path: '/login',
    as: 'visitor',
    open: async (page, t) => {
      await answer(page, '/auth/login', 401, { code: 'factor_required', error: '', params: { ticket: 'x' } })
      await page.getByLabel(t('LOGIN.USERNAME')).fill('nobody')
      await page.getByLabel(t('LOGIN.PASSWORD'), { exact: true }).fill('nothing')
      await page.getByRole('button', { name: t('LOGIN.SUBMIT') }).click()
      await answer(page, '/auth/login/code', 401, { code: 'code_wrong', error: '' })
      await page.getByLabel(t('LOGIN.CODE')).fill('000000')
      await page.getByRole('button', { name: t('LOGIN.SUBMIT') }).click()
      await page.getByText(t('ERROR.code_wrong')).waitFor()
    },
  },
}
