import type { contract } from '@sendroom/contract'
import { addFactor, addTicket, beginFactor } from './factors.ts'
import { sessionOf, setPassword } from './fixture.ts'
import { admins, everybody, of, type RowsOf, type Statuses, signedInUsers } from './rows.ts'

type Contract = typeof contract

const none = () => ({})

/** Other users do not exist for Members. */
export const ownersAndAdmins = (status: number): Statuses => [401, 401, 404, 404, 404, status]

/** The rows of what concerns signing in. */
export const sessionMatrix: { [F in 'session' | 'sessions' | 'factor']: RowsOf<Contract[F]> } = {
  session: {
    //
    options: [everybody(200), none],
    login: [
      everybody(200),
      async ({ somebody }) => {
        await setPassword(somebody, 'secret-1')
        return { body: { username: somebody.username, password: 'secret-1' } }
      },
    ],
    loginCode: [
      everybody(200),
      async ({ somebody }) => {
        const code = await addFactor(somebody)
        return { body: { ticket: await addTicket(somebody), code } }
      },
    ],
    register: [
      // The limit is five registrations an hour from one address.
      [204, 204, 204, 204, 204, 429],
      ({ unique }) => ({
        body: {
          username: unique,
          email: `${unique}@example.com`,
          password: 'secret-1',
          repassword: 'secret-1',
        },
      }),
    ],
    //
    me: [signedInUsers(200), none],
    language: [signedInUsers(204), () => ({ body: { language: 'vi' } })],
    //
    confirm: [
      signedInUsers(200),
      async ({ user }) => {
        if (user) await setPassword(user, 'secret-1')
        return { body: { password: 'secret-1' } }
      },
    ],
    //
    logout: [signedInUsers(204), none],
  },
  // R-1908
  // Here the callers ask for another user's sessions. sessions.routes.test.ts covers their own.
  sessions: {
    list: [ownersAndAdmins(200), ({ somebody }) => of(somebody.id)],
    end: [
      ownersAndAdmins(204),
      async ({ somebody }) => ({ params: { id: somebody.id, sessionId: await sessionOf(somebody) } }),
    ],
    endOthers: [ownersAndAdmins(204), ({ somebody }) => of(somebody.id)],
  },
  // R-1932
  factor: {
    get: [signedInUsers(200), none],
    begin: [signedInUsers(200), none],
    finish: [signedInUsers(200), async ({ user }) => ({ body: { code: await beginFactor(user) } })],
    newCodes: [
      signedInUsers(200),
      async ({ user }) => {
        if (user) await addFactor(user)
        return {}
      },
    ],
    remove: [
      signedInUsers(204),
      async ({ user }) => {
        if (user) await addFactor(user)
        return {}
      },
    ],
    reset: [
      admins(204),
      async ({ somebody }) => {
        await addFactor(somebody)
        return of(somebody.id)
      },
    ],
    rule: [admins(200), none],
    setRule: [admins(200), () => ({ body: { requiredOf: 'all', since: '2099-01-01T00:00:00.000Z' } })],
  },
}
