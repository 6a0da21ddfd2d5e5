import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Code, FactorCode } from './factor.ts'
import { languages } from './languages.ts'
import { limits } from './limits.ts'
import { newUsername, User } from './users.ts'
import { isForm, key } from './values.ts'

const language = z.enum(languages).describe('The language of the app, in which you get emails')

export const Credentials = z.object({
  username: z
    .string(key('LOGIN.USERNAME_REQUIRED'))
    .trim()
    .min(1, key('LOGIN.USERNAME_REQUIRED'))
    .max(limits.emailMax),
  password: z.string(key('LOGIN.PASSWORD_REQUIRED')).min(1, key('LOGIN.PASSWORD_REQUIRED')).max(1000),
  language: language.optional(),
})

/** The password of the signed-in user, entered once more, and with a second factor a code. */
export const Confirmation = Credentials.pick({ password: true }).extend({ code: Code.optional() })

/** The second step of a sign-in. `ticket` is a param of the first step's refusal `factor_required`. */
export const SecondStep = FactorCode.extend({ ticket: z.string().max(100), language: language.optional() })

/** A self-registration. The last refinement also runs if other fields are invalid. */
export const Registration = z
  .object({
    username: newUsername(key('REGISTER.USERNAME_REQUIRED')),
    email: z
      .string(key('REGISTER.EMAIL_REQUIRED'))
      .trim()
      .min(1, key('REGISTER.EMAIL_REQUIRED'))
      .max(limits.registrationEmailMax, key('REGISTER.EMAIL_INVALID'))
      .refine((email) => email.lastIndexOf('@') <= limits.emailNameMax, key('REGISTER.EMAIL_INVALID'))
      .pipe(z.email(key('REGISTER.EMAIL_INVALID'))),
    password: z
      .string(key('REGISTER.PASSWORD_REQUIRED'))
      .min(limits.passwordMin, key('REGISTER.PASSWORD_REQUIRED'))
      .max(limits.passwordMax, key('REGISTER.PASSWORD_REQUIRED')),
    repassword: z.string(key('REGISTER.REPASSWORD_REQUIRED')).min(1, key('REGISTER.REPASSWORD_REQUIRED')),
  })
  .refine((form) => form.password !== '' && form.password === form.repassword, {
    path: ['repassword'],
    message: key('REGISTER.PASSWORD_NOT_MATCH'),
    when: isForm,
  })

/** The answer to a login. `token` is the bearer token of the session. */
export const SignedIn = z.object({ token: z.string(), user: User })
export type SignedIn = z.output<typeof SignedIn>

export const session = {
  options: endpoint({
    method: 'GET',
    path: '/auth/options',
    access: 'public',
    summary: 'Whether self-registration is on, and the shortest allowed password',
    response: z.object({ selfRegistration: z.boolean(), passwordMin: z.number() }),
  }),
  login: endpoint({
    method: 'POST',
    path: '/auth/login',
    access: 'public',
    summary:
      'Sign in. With a second factor the answer is 401 `factor_required`, whose param `ticket` is valid for five minutes, and `POST /auth/login/code` signs in',
    body: Credentials,
    response: SignedIn,
  }),
  loginCode: endpoint({
    method: 'POST',
    path: '/auth/login/code',
    access: 'public',
    summary: 'Sign in with a ticket and a code of the second factor, or a recovery code',
    body: SecondStep,
    response: SignedIn,
  }),
  register: endpoint({
    method: 'POST',
    path: '/auth/register',
    access: 'public',
    summary: 'Register as a Member, who stays locked until an Admin activates them',
    body: Registration,
  }),
  me: endpoint({
    method: 'GET',
    path: '/auth/me',
    access: 'signedIn',
    isDefence: true,
    isBeforeFactor: true,
    summary: 'The signed-in user with their current role and rights',
    response: User,
  }),
  language: endpoint({
    method: 'PUT',
    path: '/auth/language',
    access: 'signedIn',
    isBeforeFactor: true,
    summary: 'Change the language of your emails',
    body: z.object({ language }),
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/auth/confirm',
    access: 'signedIn',
    isDefence: true,
    isBeforeFactor: true,
    summary:
      'Enter the password once more, and with a second factor a code. For ten minutes this allows the calls that need it. The answer has a new token; the former one ends after 30 seconds',
    body: Confirmation,
    /** Null if another request has replaced the token a moment ago. That one got the new token. */
    response: z.object({ token: z.string().nullable() }),
  }),
  logout: endpoint({
    method: 'POST',
    path: '/auth/logout',
    access: 'signedIn',
    isDefence: true,
    isBeforeFactor: true,
    summary: 'End this session',
  }),
}
