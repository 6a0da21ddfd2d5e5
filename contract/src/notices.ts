import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { chosenKinds, noticeChannels, noticeKinds } from './notice-kinds.ts'
import { Instant, idList, Named, Reason } from './values.ts'

/** A trouble that the caller was told of in the bell. */
export const Notice = z
  .object({
    /** The id of the trouble. */
    id: z.number(),
    kind: z.enum(noticeKinds),
    instance: Named.nullable(),
    /** The job, named by the beginning of its message. */
    job: Named.nullable(),
    series: Named.nullable(),
    apiKey: Named.nullable(),
    /** The machine with the disk; empty for other kinds. */
    host: z.string(),
    reason: Reason.nullable(),
    /** When the instance or the API key expires, as far as that is known. */
    expiresAt: Instant.nullable(),
    beganAt: Instant,
    /** Null while the trouble lasts. */
    endedAt: Instant.nullable(),
    isRead: z.boolean(),
  })
  .meta({ id: 'Notice' })
export type Notice = z.output<typeof Notice>

const Choice = z.object({ kind: z.enum(chosenKinds), channels: z.array(z.enum(noticeChannels)) })

export const NoticeChoices = z.object({
  /** Each kind once. A kind that is missing keeps its channels. */
  choices: z.array(Choice).max(chosenKinds.length),
})

export const NoticeSettings = z.object({
  choices: z.array(Choice),
  /** The caller's address. Null if the server sends no email: SMTP_URL is not set. */
  email: z.string().nullable(),
})
export type NoticeSettings = z.output<typeof NoticeSettings>

export const notices = {
  list: endpoint({
    method: 'GET',
    path: '/notices',
    access: 'signedIn',
    summary:
      'The troubles that you were told of in the bell, 200 at most: those that last, then those that are over, the newest first',
    response: z.object({ notices: z.array(Notice) }),
  }),
  read: endpoint({
    method: 'POST',
    path: '/notices/read',
    access: 'signedIn',
    summary: 'Mark notices as read. You get no reminder of a trouble whose notice you have read',
    body: z.object({ ids: idList(1000, { min: 1 }) }),
  }),
  settings: endpoint({
    method: 'GET',
    path: '/notices/settings',
    access: 'signedIn',
    summary: 'Of which troubles you are told, and how',
    response: NoticeSettings,
  }),
  choose: endpoint({
    method: 'PUT',
    path: '/notices/settings',
    access: 'signedIn',
    summary: 'Choose of which troubles you are told, and how',
    body: NoticeChoices,
    response: NoticeSettings,
  }),
  testEmail: endpoint({
    method: 'POST',
    path: '/notices/test-email',
    access: 'signedIn',
    summary: 'Send a test email to your address',
  }),
}
