import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Id, Instant, idParams } from './values.ts'

/** A browser or program in which a user is signed in. */
export const Session = z
  .object({
    id: z.number(),
    /** The browser and the system, as `Firefox, Windows`. Empty if a version before 2026-12 has opened the session. */
    browser: z.string(),
    /** The network address of the last request. */
    address: z.string(),
    createdAt: Instant,
    /** The last use, to the minute. Requests that a page sends by itself are no use. */
    usedAt: Instant,
    /** The last request since then that is no use, to the minute. */
    idleAt: Instant.nullable(),
    /** Whether this is the session of the request. */
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' })
export type Session = z.output<typeof Session>

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/sessions',
    access: 'signedIn',
    isDefence: true,
    summary: 'Where you are signed in, up to the 200 sessions used last; an Admin may ask for any user',
    params: idParams,
    response: z.object({ sessions: z.array(Session) }),
  }),
  end: endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions/:sessionId',
    access: 'signedIn',
    isDefence: true,
    needsConfirmation: true,
    summary: 'End a session of yours, or as an Admin of any user',
    params: idParams.extend({ sessionId: Id }),
  }),
  endOthers: endpoint({
    method: 'DELETE',
    path: '/users/:id/sessions',
    access: 'signedIn',
    isDefence: true,
    needsConfirmation: true,
    summary: 'End all your sessions but this one, or as an Admin all sessions of a user',
    params: idParams,
  }),
}
