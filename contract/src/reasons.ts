import { fill, type Params } from './errors.ts'

/**
 * The English sentences of all reasons: why a delivery failed, why a job or instance waits, and what a log line says.
 * Reasons are stored as code and params, so that the web app can translate them by the key `REASON.<code>`. A reason
 * may refer to another one by its code as the param `why`. Both sentences use the same params.
 */
export const reasonWords = {
  // why a delivery failed
  not_on_whatsapp: 'This number is not on WhatsApp.',
  bad_recipient: 'WhatsApp does not accept this recipient: {{detail}}',
  not_allowed: 'The account may not write to this recipient.',
  chat_not_found: 'This chat does not exist, or the account has left it.',
  content_refused: 'WhatsApp does not accept this content: {{detail}}',
  content_too_large: 'The message or its image is too large for WhatsApp.',
  media_refused: 'WhatsApp does not accept this image.',
  image_store_down:
    'The image can’t be opened just now. If it stays so, tell an Admin: the image store may be out of reach.',
  media_missing: 'The image could not be given to WhatsApp.',
  refused: 'WhatsApp refused the message: {{detail}}',
  outcome_unknown:
    'It is not known whether this message arrived. Look into the chat before you send it again.',
  receipt_failed: 'WhatsApp took the message and then could not deliver it: {{detail}}',
  account_wait_over: 'The account was not ready for too long: {{why}}',
  interrupted: 'Sendroom stopped while the message was being sent.',
  // why an instance or a job waits
  account_inactive: 'The account is not active.',
  account_not_linked: 'The account is not linked to WhatsApp. Scan its QR code.',
  account_unpaid: 'The provider says the account is not paid, or its trial is used up.',
  account_bad_token: 'The provider does not know this token.',
  account_restricted: 'WhatsApp has restricted this account.',
  account_failures:
    'The last {{count}} messages of this account failed one after another. Check the account before it goes on.',
  provider_busy: 'The provider asks us to slow down, or could not be reached. We try again by ourselves.',
  provider_unreachable: 'The provider could not be reached.',
  provider_error: 'The provider answered with an error ({{status}}).',
  provider_unreadable: 'The provider’s answer could not be read.',
  daily_cap: 'The account has sent as much as it may in 24 hours.',
  quiet_hours: 'It is a quiet hour of this account.',
  scheduled: 'The job waits for its time.',
  paused: 'The job is paused.',
  pause_between: 'The account pauses between two messages, so that it is not banned.',
  taking_turns: 'Another job of this account is having its turn.',
  checking_outcome: 'We are finding out whether a message arrived.',
  // log lines of a job
  job_created: 'Created by {{user}}. Recipients: {{count}}.',
  job_started: 'Started.',
  job_completed: 'Completed: {{sent}} sent, {{failed}} failed.',
  job_failed: 'Failed: no message could be sent.',
  job_cancelled: 'Cancelled by {{user}}. Recipients skipped: {{skipped}}.',
  job_restarted: 'Restarted by {{user}}.',
  job_paused: 'Paused by {{user}}.',
  job_resumed: 'Resumed by {{user}}.',
  job_retried: 'Sending to the rest, by {{user}}. Recipients: {{count}}.',
  delivery_failed: '{{recipient}}: {{why}}',
  delivery_retry: '{{recipient}}: not sent yet, we try again. {{why}}',
  delivery_doubt: '{{recipient}}: it is not known yet whether the message went out. {{why}}',
  delivery_found: '{{recipient}}: the message had gone out.',
  delivery_not_found: '{{recipient}}: the message had not gone out; it is sent again.',
  account_waits: 'The account waits: {{why}}',
  account_resumed: 'The account is ready again.',
  account_resumed_by: '{{user}} let the account go on.',
  log_full: 'Further single recipients are left out here. The list of recipients is complete.',
  image_upload_failed: 'The image could not be uploaded, we try again. {{why}}',
} as const

export type ReasonCode = keyof typeof reasonWords

const isReasonCode = (code: unknown): code is ReasonCode => typeof code === 'string' && code in reasonWords

/** The English sentence of a reason. */
export function reasonText({ code, params }: { code: ReasonCode; params: Params }): string {
  const { why } = params
  return fill(
    reasonWords[code],
    isReasonCode(why) ? { ...params, why: fill(reasonWords[why], params) } : params,
  )
}
