import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idParams, instant, key } from './values.ts'

/** A code of the user's app, or a recovery code. Spaces and dashes do not matter. */
export const Code = z.string(key('LOGIN.CODE_REQUIRED')).trim().min(1, key('LOGIN.CODE_REQUIRED')).max(100)

export const FactorCode = z.object({ code: Code })

export const requiredOf = ['nobody', 'admins', 'all'] as const

/** Says who has to have a second factor, and from when on. */
export const FactorRule = z
  .object({
    requiredOf: z.enum(requiredOf),
    /** Until then users may do without. Null: from now on. */
    since: instant(key('FIELD.INVALID')).nullable(),
  })
  .meta({ id: 'FactorRule' })
export type FactorRule = z.output<typeof FactorRule>

const RecoveryCodes = z.object({
  /** Shown once. Each works once, in place of a code of the app. */
  recoveryCodes: z.array(z.string()),
})

export const factor = {
  get: endpoint({
    method: 'GET',
    path: '/auth/factor',
    access: 'signedIn',
    isDefence: true,
    isBeforeFactor: true,
    summary: 'Your second factor',
    response: z.object({
      hasFactor: z.boolean(),
      recoveryCodesLeft: z.number(),
      /** Whether you have to have one, now or from `since` on. */
      isRequired: z.boolean(),
      since: instant().nullable(),
    }),
  }),
  begin: endpoint({
    method: 'POST',
    path: '/auth/factor',
    access: 'signedIn',
    isBeforeFactor: true,
    needsConfirmation: true,
    summary: 'Begin to set up your second factor, or another one. It counts from the first code on',
    response: z.object({
      /** For an app that can't scan, in Base32. */
      secret: z.string(),
      /** The QR code for the app, as a data URL. */
      qr: z.string(),
    }),
  }),
  finish: endpoint({
    method: 'POST',
    path: '/auth/factor/finish',
    access: 'signedIn',
    isBeforeFactor: true,
    needsConfirmation: true,
    summary: 'Enter the first code of your second factor. The answer has ten recovery codes',
    body: FactorCode,
    response: RecoveryCodes,
  }),
  newCodes: endpoint({
    method: 'POST',
    path: '/auth/factor/recovery-codes',
    access: 'signedIn',
    needsConfirmation: true,
    summary: 'Get ten new recovery codes. The former ones end',
    response: RecoveryCodes,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/auth/factor',
    access: 'signedIn',
    needsConfirmation: true,
    summary: 'Sign in without a second factor from now on, unless one is required of you',
  }),
  reset: endpoint({
    method: 'DELETE',
    path: '/users/:id/factor',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Remove the second factor of another user who has lost it, and end the user’s sessions',
    params: idParams,
  }),
  rule: endpoint({
    method: 'GET',
    path: '/factor-rule',
    access: 'admin',
    summary: 'Who has to have a second factor',
    response: FactorRule,
  }),
  setRule: endpoint({
    method: 'PUT',
    path: '/factor-rule',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Set who has to have a second factor. Without one, such a user can do nothing but set one up',
    body: FactorRule,
    response: FactorRule,
  }),
}
