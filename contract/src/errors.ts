/**
 * The error codes of all refusals by the server, with their English sentences. The web app translates them by the key
 * `ERROR.<code>`. A test ensures that its English texts equal these.
 */
export const errorWords = {
  invalid_input: 'Some fields are invalid.',
  unauthenticated: 'Sign in first.',
  login_failed: 'Wrong username or password, or the user is locked.',
  factor_required: 'Enter the code of your second factor.',
  ticket_invalid: 'Too much time has passed. Sign in again.',
  code_wrong: 'This code is wrong or was used before. Wait for the next one.',
  waiting_for_activation: 'You have registered, and an Admin has to activate you before you can sign in.',
  forbidden: 'You don’t have permission to do this.',
  confirm_password: 'Enter your password once more before you do this.',
  not_for_keys: 'API keys can’t do this. Sign in instead.',
  key_from_elsewhere: 'This API key can’t be used from the address {{address}}.',
  too_many_api_keys: 'You can have {{apiKeysPerUser}} API keys at most. Revoke one first.',
  factor_setup_required: 'Set up your second factor first.',
  factor_is_required: 'A second factor is required of you. Set up another one instead.',
  own_factor: 'Another Admin has to do this, or whoever runs the server.',
  forgery: 'This page is out of date. Reload the page and try again.',
  not_found: 'This does not exist, or you don’t have access.',
  username_taken: 'This username is taken. Choose another.',
  email_taken: 'This email address is taken. Enter another.',
  token_taken: 'Another account uses this token.',
  token_in_use: 'A message is being sent. Change the token afterwards.',
  test_token_refused: 'To use test tokens, set TEST_PROVIDER_URL on the server.',
  test_mode_off: 'Test mode is off on this server (TEST_MODE). Enter the token of a real account.',
  last_admin: 'This is the last active Admin. Add another Admin before you delete, lock or demote this one.',
  own_user: 'You can’t delete yourself.',
  registration_closed: 'Registration is closed. Ask an Admin to add you.',
  instance_inactive: 'This account isn’t active. Activate the account first.',
  already_connected: 'This account is already connected.',
  already_logged_out: 'This account is already logged out.',
  not_connected: 'This account isn’t linked to WhatsApp. Scan the QR code first.',
  account_busy: 'This account is still sending messages. Try again in a moment.',
  qr_not_ready: 'The QR code is not ready yet. Try again in a moment.',
  channel_without_members: 'WhatsApp tells nobody who follows a channel, so there are no members to export.',
  group_left: 'The account has left these groups: {{names}}{{andMore}}.',
  phone_unreadable: 'These are not phone numbers: {{numbers}}{{andMore}}.',
  values_missing:
    '{{count}} recipients have no value for {{variables}}. Leave them out, or give a text for people without a value.',
  texts_too_long:
    'With its values the text gets longer than {{messageText}} characters for {{names}}{{andMore}}. Shorten the text or the values.',
  too_many_recipients: 'A job can have {{recipients}} recipients at most.',
  job_not_restartable: 'You can restart a job only after it has ended.',
  job_not_cancellable: 'This job has already ended.',
  job_not_pausable: 'This job is already paused or has ended.',
  job_not_resumable: 'This job is not paused.',
  job_not_retryable: 'You can send to remaining recipients only after the job has ended.',
  job_not_changeable: 'This job has begun. Only its name can be changed now.',
  job_of_another: 'Only {{user}} or an Admin can change the recipients or the account of this job.',
  in_review: 'This job is in review. Take it back before you change it.',
  not_in_review: 'This job is not waiting for approval.',
  approval_not_askable:
    'Approval can be asked for only after the job was taken back or changes were asked for.',
  series_not_in_review: 'This series is not waiting for approval.',
  approval_of_own: 'You made this job or changed it last. Somebody else has to approve it.',
  approval_overdue:
    'The time of this job has passed without an approval. Set a new time, and approval is asked for again.',
  approval_needs_two:
    'Approval needs two active users who can approve jobs and see this account. Add Admins, or give Members the right first.',
  job_nothing_to_retry: 'No recipients remain.',
  job_recipients_deleted:
    'The recipients of this job were deleted because of their age, so the job can’t be sent again.',
  job_settling: 'This job is still sending a message. Try again in a moment.',
  job_busy: 'Earlier changes are still being saved. Try again in a moment.',
  stale_version: 'Somebody else has changed this since you opened it. Load it again.',
  too_large: 'The request is too large.',
  image_too_large: 'The image is larger than {{imageMegabytes}} MB. Choose a smaller one.',
  image_too_many_pixels: 'Image too large: {{imageMegapixels}} megapixels maximum across all frames.',
  image_too_complex:
    'This image takes too much memory or time, or more than {{imageMegabytes}} MB to store. Save the image smaller or as JPEG, and try again.',
  not_an_image: 'This file isn’t a usable image. Choose a JPEG, PNG, WebP or GIF.',
  image_store_down:
    'Images are unavailable right now. Try again later. If this continues, tell an Admin: the disk may be full or the image store unreachable.',
  file_over_limit: 'The file is larger than {{fileMegabytes}} MB. Choose a smaller one.',
  file_store_down:
    'Files are unavailable right now. Try again later. If this continues, tell an Admin: the disk may be full or the file store unreachable.',
  form_damaged: 'The form arrived damaged. Send it again.',
  unsupported_type: 'This file type isn’t supported.',
  too_many_requests: 'Too many attempts. Wait a moment and try again.',
  quota_recipients_user:
    'Your jobs that have not ended, and those that were cancelled within 24 hours, can have {{limit}} recipients together at most. Wait until jobs end, delete cancelled ones, or ask an Admin for a higher limit.',
  quota_recipients_account:
    'The jobs of this account that have not ended can have {{limit}} recipients together at most. Wait until jobs end, cancel one, or ask an Admin for a higher limit.',
  quota_syncs:
    'The groups of this account can be synced {{limit}} times in 24 hours. Wait until tomorrow, or ask an Admin for a higher limit.',
  quota_searches: 'Too many of your searches run at once: {{limit}} can. Wait a moment and try again.',
  quota_images:
    'Your images and files can take {{limit}} MB together at most. Delete messages and jobs with images or files, or ask an Admin for a higher limit.',
  quota_images_of_author:
    'This message is of {{user}}, whose images and files can take {{limit}} MB together at most. Write a message of your own, or ask an Admin for a higher limit.',
  quota_number_checks:
    'You can have {{limit}} numbers waiting to be checked at most. Choose fewer, or wait until some are checked.',
  number_check_metered:
    'This account is on a trial, whose calls are counted. At most {{limit}} numbers a day are checked there.',
  provider_failed: 'The WhatsApp provider could not do this: {{reason}}',
  mail_off: 'Sendroom sends no email, because no mail server is set up.',
  mail_failed: 'The mail server did not take the email ({{reason}}).',
  too_many_receivers: 'There can be {{receivers}} receivers at most.',
  host_not_allowed: 'This server may not connect to this host (OUTGOING_HOSTS). Ask whoever runs Sendroom.',
  receiver_full: 'Too many events wait for this receiver already.',
  number_key_missing:
    'The key of forgotten numbers can’t be read. Nothing is sent to people until the encryption key is right.',
  number_taken: 'Another contact has the number {{number}}.',
  too_many_tags: 'There can be {{tags}} tags at most. Delete one first.',
  contact_tags_full:
    'A contact can have {{contactTags}} tags at most, and one would have more. Remove others first.',
  contact_field_taken: 'Another field has this key. Choose another.',
  contact_field_used: 'Contacts have a value in this field, so the field can’t be deleted.',
  contact_choice_used: 'Contacts have one of the choices that you removed. Change those contacts first.',
  list_taken: 'Another list has this name. Choose another.',
  list_has_filter: 'This list follows a filter. Change the filter instead.',
  used_by_list: 'The list {{list}} filters by this. Change or delete the list first.',
  too_many_lists: 'There can be {{lists}} lists at most. Delete one first.',
  group_set_taken: 'You have another set of groups with this name. Choose another.',
  series_too_many:
    'An account can have {{seriesOfInstance}} series that have not ended at most. End or delete one first.',
  series_taken: 'Another series of this account has this name. Choose another.',
  used_by_series: 'The series {{series}} uses this. Change or delete the series first.',
  series_not_pausable: 'This series is already paused or has ended.',
  series_not_resumable: 'This series is not paused.',
  series_ended: 'This series has ended.',
  run_not_planned: 'This run is no longer to come.',
  too_many_contact_fields: 'There can be {{contactFields}} fields at most.',
  file_missing: 'Choose a file.',
  file_too_large: 'The file is larger than {{importMegabytes}} MB. Divide it into several files.',
  file_empty: 'Nothing is in this file.',
  file_unsupported: 'Choose a CSV or xlsx file without a password.',
  file_damaged: 'The file is damaged or was cut off. Save it again and upload it once more.',
  file_unclosed_quote:
    'A quotation mark in row {{row}} has no end. Correct the row and upload the file again.',
  file_no_such_sheet: 'This sheet is not in the file. Choose another.',
  file_unpacks_too_large: 'The file takes too much room. Divide it into several files.',
  file_too_many_columns: 'Row {{row}} has more than {{importColumns}} columns.',
  file_too_many_rows: 'The file has more than {{importRows}} rows. Divide it into several files.',
  no_phone_column: 'Choose the column of the phone numbers.',
  import_failed: 'This could not be read. Try again.',
  import_not_ready: 'This import has begun already, or is not checked yet.',
  import_not_allowed: 'Whoever made this import has lost the right to it. Make a new one.',
  import_busy: 'Another import of yours is running. Wait until it has ended.',
  import_not_undoable: 'This import can’t be undone any more, or has not ended.',
  too_many_imports: 'You have {{importsWaiting}} imports that have not begun. Import or remove one first.',
  database_unavailable: 'Sendroom cannot read or save anything right now. Try again in a moment.',
  unavailable: 'Sendroom is not ready yet. Try again in a moment.',
  internal: 'Internal Server Error. Please try again later.',
} as const

export type ErrorCode = keyof typeof errorWords

/** The form field to which a refusal belongs, by error code. */
export const fieldOfError: ReadonlyMap<ErrorCode, string> = new Map<ErrorCode, string>([
  ['username_taken', 'username'],
  ['email_taken', 'email'],
  ['token_taken', 'whapiToken'],
  ['token_in_use', 'whapiToken'],
  ['test_token_refused', 'whapiToken'],
  ['test_mode_off', 'whapiToken'],
  ['phone_unreadable', 'phoneNumbers'],
  ['number_taken', 'phoneNumbers'],
  ['too_many_tags', 'tags'],
  ['contact_tags_full', 'tags'],
  ['host_not_allowed', 'url'],
  ['list_taken', 'name'],
  ['group_set_taken', 'name'],
  ['series_taken', 'name'],
  ['contact_field_taken', 'key'],
  ['contact_choice_used', 'choices'],
  ['too_many_recipients', 'phoneNumbers'],
  ['approval_needs_two', 'approval'],
  ['approval_overdue', 'scheduledAt'],
  ['group_left', 'groupIds'],
  ['quota_images', 'imageFile'],
  ['not_an_image', 'imageFile'],
  ['image_too_large', 'imageFile'],
  ['image_too_many_pixels', 'imageFile'],
  ['image_too_complex', 'imageFile'],
  ['image_store_down', 'imageFile'],
])

export type Params = Record<string, string | number>

/** Replaces each `{{name}}` in a sentence by its param. Placeholders without a param stay. */
export const fill = (sentence: string, params: Params = {}): string =>
  sentence.replace(/\{\{(\w+)\}\}/g, (place, name: string) => String(params[name] ?? place))
