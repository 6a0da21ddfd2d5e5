import { fill, type Params } from './errors.ts'

/**
 * The English sentences of all reasons, for the API: why a delivery failed, why a job or instance waits, and what a log
 * line says. Reasons are stored as code and params, so that pages and emails say them in the user's language, by the
 * text `REASON.<code>` (web/public/i18n). server/src/engine/status/trouble.ts decides why a job or an instance waits.
 * A reason may refer to another one by its code as the param `why`. Both sentences use the same params.
 */
export const reasonWords = {
  // why a delivery failed or was skipped
  opted_out: 'This person has opted out.',
  forgotten: 'This number was forgotten.',
  number_key_missing:
    'The key of forgotten numbers is missing, so nobody knows whether this person has opted out.',
  not_on_whatsapp: 'This number is not on WhatsApp.',
  no_first_message: 'WhatsApp does not let you write to this person first.',
  bad_recipient: 'WhatsApp refused this recipient: {{detail}}',
  not_allowed: 'The account isn’t allowed to write to this recipient.',
  chat_not_found: 'This chat doesn’t exist, or the account has left.',
  content_refused: 'WhatsApp refused this content: {{detail}}',
  content_too_large: 'The message or the image is too large for WhatsApp.',
  media_refused: 'WhatsApp refused this image or file.',
  image_store_down:
    'The image or file is unavailable right now. If this continues, tell an Admin: the store may be unreachable.',
  media_missing: 'The image or file did not reach WhatsApp.',
  text_missing: 'The text for this recipient was lost. Create a new job for them.',
  refused: 'WhatsApp refused the message: {{detail}}',
  outcome_unknown: 'Unknown whether this arrived. Check the chat before resending.',
  receipt_failed: 'WhatsApp accepted the message but could not deliver it: {{detail}}',
  account_wait_over: 'The account was not ready for too long: {{why}}',
  interrupted: 'Sendroom stopped while sending this message.',
  // why an instance or a job waits
  account_inactive: 'The account isn’t active.',
  account_not_linked: 'The account isn’t linked to WhatsApp. Scan the QR code.',
  account_unpaid: 'The account is unpaid at the provider, or the trial is used up.',
  account_bad_token: 'The provider doesn’t recognize this token.',
  account_restricted: 'WhatsApp has restricted this account.',
  account_failures:
    'The last {{count}} messages of this account failed. Check the account before you resume sending.',
  history_unreadable:
    'The chat history can’t be read, so it’s unknown what was already sent. Retrying automatically; check the chats before you resume sending yourself.',
  provider_busy: 'The provider is busy or unreachable. Retrying automatically.',
  provider_unreachable: 'The provider is unreachable.',
  test_mode_off: 'Test mode is off on this server (TEST_MODE). Enter the token of a real account.',
  provider_error: 'The provider reported an error ({{status}}).',
  provider_unreadable: 'The provider sent an unreadable answer.',
  daily_cap: 'The account has reached its 24-hour limit.',
  warm_up: 'The account is warming up and has reached its limit for 24 hours.',
  new_people: 'The account has reached its limit of new people who haven’t answered.',
  quarter_hour: 'The account has reached its limit for 15 minutes.',
  private_hours: 'The account has sent to people in as many hours as it may today.',
  rest_day: 'The account rests today after several busy days.',
  person_limit: 'These recipients have had as many messages as they may get for now.',
  capped_by_whatsapp: 'WhatsApp doesn’t let this account start new chats for now.',
  quiet_hours: 'Quiet hours are on.',
  in_review: 'The job waits for approval.',
  changes_asked: 'Changes were asked for. The job waits until somebody changes it or asks again.',
  taken_back: 'The job was taken back from review. It waits until somebody changes it or asks again.',
  approval_overdue: 'Nobody approved the job by its time. It needs a new time.',
  approved_by: 'Approved by {{user}}.',
  changes_asked_by: 'Changes were asked for by {{user}}.',
  overridden_by: 'Sent without an approval by {{user}}.',
  signed_in_by:
    '{{browser}}, address {{address}}. If this was not you, change your password and end your other sessions.',
  // told to a user whose sign-in has changed: the action in the audit log, and who has done it
  factor_set_up_from:
    'Second factor set up: {{browser}}, address {{address}}. If this was not you, tell an Admin.',
  factor_remove_from:
    'Second factor turned off: {{browser}}, address {{address}}. If this was not you, tell an Admin.',
  factor_new_codes_from:
    'New recovery codes: {{browser}}, address {{address}}. If this was not you, tell an Admin.',
  factor_reset_by: 'Second factor reset by {{user}}. If you did not ask for this, talk to {{user}}.',
  factor_reset_by_command: 'Second factor reset on the server. If you did not ask for this, tell an Admin.',
  user_password_from:
    'Password changed: {{browser}}, address {{address}}. If this was not you, tell an Admin.',
  user_password_by: 'Password changed by {{user}}. If you did not ask for this, talk to {{user}}.',
  user_password_by_command: 'Password changed on the server. If you did not ask for this, tell an Admin.',
  user_update_from:
    'Email address changed: {{browser}}, address {{address}}. If this was not you, tell an Admin.',
  user_update_by: 'Email address changed by {{user}}. If you did not ask for this, talk to {{user}}.',
  key_expires: 'Once the key has expired, its programs are refused. Create a new key for them.',
  scheduled: 'The job waits for its scheduled time.',
  paused: 'The job is paused.',
  pause_between: 'The account pauses between messages to avoid a ban.',
  uploading_file: 'The file is being uploaded to WhatsApp.',
  upload_put_off: 'Upload of the file failed. The account’s other jobs go first until the next attempt.',
  taking_turns: 'Another job of this account is sending now.',
  checking_outcome: 'Checking whether a message arrived.',
  checking_history: 'Checking what was already sent.',
  reading_incoming: 'Reading incoming messages before sending goes on.',
  // why a series pauses
  series_paused_by: 'Paused by {{user}}.',
  series_paused_by_restore: 'Paused because a backup was restored.',
  series_author_gone: 'The author {{user}} is locked or was deleted.',
  series_author_no_right: 'The author {{user}} may no longer create jobs.',
  series_author_no_account: 'The author {{user}} no longer has this account.',
  series_author_no_source:
    'The author {{user}} may no longer use a message, list or set of groups of this series.',
  series_runs_failed: 'The last {{count}} runs failed.',
  // what became of a run of a series
  run_skipped_by: 'Skipped by {{user}}.',
  run_quiet: 'Skipped, because of a quiet day or quiet hours.',
  run_overlaps: 'Skipped, because the job of the former run was still sending.',
  run_waits: 'Waits until the job of the former run has ended.',
  run_replaced: 'Skipped, because a later run was due, too.',
  run_series_paused: 'Skipped, because the series was paused.',
  run_late: 'Missed, because Sendroom could not make the job within {{hours}} hours.',
  run_nobody: 'Nobody was left to send to.',
  run_quota: 'A quota was exceeded.',
  run_too_many: 'The job would have had too many recipients.',
  run_values_missing: 'Recipients had no value for a variable.',
  run_texts_too_long: 'The text got too long for a recipient.',
  run_refused: 'The job could not be made.',
  // log lines of a job
  job_created: 'Created by {{user}}. Recipients: {{count}}.',
  job_started: 'Started.',
  job_completed: 'Completed: {{sent}} sent, {{failed}} failed.',
  recipients_skipped: 'Skipped, because they opted out or are not on WhatsApp: {{count}}.',
  job_failed: 'Failed: no message went out.',
  job_cancelled: 'Cancelled by {{user}}. Recipients skipped: {{skipped}}.',
  job_changed: 'Changed by {{user}}. Recipients: {{count}}.',
  job_restarted: 'Restarted by {{user}}.',
  job_paused: 'Paused by {{user}}.',
  job_paused_by_restore: 'Paused because a backup was restored.',
  job_paused_by_refusals:
    'Paused, because WhatsApp refused the file for several recipients in a row. {{why}}',
  job_resumed: 'Resumed by {{user}}.',
  job_retried: '{{user}} started sending to remaining. Recipients: {{count}}.',
  delivery_failed: '{{recipient}}: {{why}}',
  delivery_retry: '{{recipient}}: not sent yet; trying again. {{why}}',
  delivery_doubt: '{{recipient}}: unknown whether the message went out. {{why}}',
  delivery_found: '{{recipient}}: the message went out.',
  history_found: 'Messages found in the chat history that count as sent: {{count}}.',
  history_unclear:
    'The account’s chats show this message to somebody who is no recipient, so it’s unknown who already got it. Look at the chats before you resume the job or send it to the remaining recipients.',
  history_uncertain:
    'After an outage it’s unknown who already got this file, because it can’t be recognised in the chats. Look at the chats before you resume the job or send it to the remaining recipients.',
  delivery_not_found: '{{recipient}}: not sent; trying again.',
  account_waits: 'The account is waiting: {{why}}',
  account_resumed: 'The account is ready again.',
  account_resumed_by: '{{user}} resumed sending.',
  log_full: 'Further recipients aren’t logged individually.',
  members_read_failed: 'The members of the group could not be read; trying again. {{why}}',
  image_upload_failed: 'Upload of the file failed; trying again. {{why}}',
} as const

export type ReasonCode = keyof typeof reasonWords

const isReasonCode = (code: unknown): code is ReasonCode =>
  typeof code === 'string' && Object.hasOwn(reasonWords, code)

/** The English sentence of a reason. */
export function reasonText({ code, params }: { code: ReasonCode; params: Params }): string {
  const { why } = params
  return fill(
    reasonWords[code],
    isReasonCode(why) ? { ...params, why: fill(reasonWords[why], params) } : params,
  )
}
