import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { Id, Instant, idParams, isForm, key } from './values.ts'
import { webhookTopics } from './webhook-topics.ts'

/**
 * Whether Sendroom can send to this URL. A user name would be shown wherever the URL is, and a fragment is never sent.
 */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
}

const form = z.object({
  name: z
    .string(key('RECEIVER_FORM.NAME_INVALID'))
    .trim()
    .min(1, key('RECEIVER_FORM.NAME_INVALID'))
    .max(limits.receiverName, key('RECEIVER_FORM.NAME_INVALID')),
  url: z
    .string(key('RECEIVER_FORM.URL_INVALID'))
    .trim()
    .max(limits.receiverUrl, key('RECEIVER_FORM.URL_INVALID'))
    .refine(isAddress, key('RECEIVER_FORM.URL_INVALID')),
  topics: z
    .array(z.enum(webhookTopics))
    .min(1, key('RECEIVER_FORM.TOPICS_REQUIRED'))
    .max(webhookTopics.length),
  isActive: z.boolean(),
  /** Permits addresses inside the server's own network, and plain http. */
  allowsOwnNetwork: z.boolean(),
})

export const ReceiverForm = form.refine(
  ({ url, allowsOwnNetwork }) => allowsOwnNetwork || !/^http:/i.test(url ?? ''),
  { path: ['url'], message: key('RECEIVER_FORM.URL_NOT_ENCRYPTED'), when: isForm },
)
export type ReceiverForm = z.output<typeof ReceiverForm>

/** A program elsewhere that Sendroom sends events to. */
export const Receiver = form
  .extend({
    id: z.number(),
    // Stored values are not checked again.
    name: z.string(),
    url: z.string(),
    createdAt: Instant,
    /** The events that wait. */
    waiting: z.number(),
    /** When the last event arrived and when the last attempt failed, as far as the attempts are kept. */
    arrivedAt: Instant.nullable(),
    failedAt: Instant.nullable(),
  })
  .meta({ id: 'Receiver' })
export type Receiver = z.output<typeof Receiver>

/** An attempt to send an event to a receiver. Exactly one of `status` and `error` is not null. */
export const Attempt = z
  .object({
    id: z.number(),
    eventId: z.string(),
    type: z.string(),
    at: Instant,
    durationMs: z.number(),
    /** Whether the answer was 2xx. */
    hasArrived: z.boolean(),
    /** The HTTP status of the answer. */
    status: z.number().nullable(),
    /** Why there was no answer: `TIMEOUT`, `OWN_NETWORK`, or a code of Node such as `ECONNREFUSED`. */
    error: z.string().nullable(),
    /** Whether the event still waits to be sent (again). */
    isWaiting: z.boolean(),
    /** The JSON that was sent. */
    body: z.string(),
  })
  .meta({ id: 'Attempt' })
export type Attempt = z.output<typeof Attempt>

export const receivers = {
  list: endpoint({
    method: 'GET',
    path: '/receivers',
    access: 'admin',
    summary: 'The receivers of webhooks',
    response: z.object({ receivers: z.array(Receiver) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/receivers/:id',
    access: 'admin',
    summary: 'One receiver with the last attempts, the newest first: 50 that arrived and 50 that failed',
    params: idParams,
    response: z.object({ receiver: Receiver, attempts: z.array(Attempt) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/receivers',
    access: 'admin',
    needsConfirmation: true,
    summary:
      'Add a receiver of webhooks. The answer has the secret that signs them, which is never shown again',
    body: ReceiverForm,
    response: z.object({ receiver: Receiver, secret: z.string() }),
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/receivers/:id',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Change a receiver',
    params: idParams,
    body: ReceiverForm,
    response: Receiver,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/receivers/:id',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Delete a receiver and the events that wait for it',
    params: idParams,
  }),
  test: endpoint({
    method: 'POST',
    path: '/receivers/:id/test',
    access: 'admin',
    summary: 'Send an event of the type `test`. Its attempt is listed within seconds',
    params: idParams,
    status: 202,
  }),
  sendAgain: endpoint({
    method: 'POST',
    path: '/receivers/:id/attempts/:attemptId/send',
    access: 'admin',
    summary: 'Send the event of an attempt again, with the same id',
    params: z.object({ id: Id, attemptId: Id }),
    status: 202,
  }),
}
