/**
 * The error codes of all refusals by the server, with their English sentences. The web app translates them by the key
 * `ERROR.<code>`. A test ensures that its English texts equal these.
 */
export const errorWords = {
  invalid_input: 'Some fields are not right.',
  unauthenticated: 'Sign in first.',
  login_failed: 'The username or password is not right, or the user is locked.',
  waiting_for_activation: 'You have registered, and an Admin has to activate you before you can sign in.',
  forbidden: 'You are not allowed to do this.',
  forgery: 'This page is out of date. Reload it and try again.',
  not_found: 'This does not exist, or you have no access to it.',
  username_taken: 'This username is already taken.',
  email_taken: 'This email address is already taken.',
  token_taken: 'Another account already uses this token.',
  token_in_use: 'A message of this account is on its way. Change the token when it has settled.',
  test_token_refused: 'Test tokens need TEST_PROVIDER_URL to be set on this installation.',
  last_admin: 'This is the last active Admin, who can’t be deleted, locked or demoted.',
  own_user: 'You can’t delete yourself.',
  registration_closed: 'Registration is closed. Ask an Admin for an account.',
  instance_inactive: 'This account is not active. Activate it first.',
  already_connected: 'This account is already connected.',
  already_logged_out: 'This account is already logged out.',
  not_connected: 'This account is not connected to WhatsApp. Scan its QR code first.',
  account_busy: 'Messages of this account are still on their way. Try again in a moment.',
  qr_not_ready: 'The QR code is not ready yet. Try again in a moment.',
  group_left: 'The account has left these groups: {{names}}{{andMore}}.',
  phone_unreadable: 'These are not phone numbers: {{numbers}}{{andMore}}.',
  too_many_recipients: 'A job takes {{recipients}} recipients at most.',
  job_not_restartable: 'A job can be restarted only after it has ended.',
  job_not_cancellable: 'This job has already ended.',
  job_not_pausable: 'Only a job that waits or runs, and is not paused yet, can be paused.',
  job_not_resumable: 'This job is not paused.',
  job_not_retryable: 'A job can send to the rest only after it has ended.',
  job_nothing_to_retry: 'No recipients are left.',
  job_settling: 'A message of this job is still on its way. Try again in a moment.',
  stale_version: 'Somebody else has changed this since you opened it. Load it again.',
  too_large: 'This is too large.',
  image_too_large: 'The image is larger than {{imageMegabytes}} MB.',
  image_too_many_pixels:
    'This image has too many pixels: {{imageMegapixels}} million at most, those of all frames of an animation together. Make it smaller or shorter.',
  not_an_image: 'This file is not an image we can send. Use a JPEG, PNG, WebP or GIF.',
  image_store_down:
    'Images can’t be saved or opened just now. Try again later. If it stays so, tell an Admin: the disk may be full, or the image store out of reach.',
  form_damaged: 'The form arrived damaged. Send it again.',
  unsupported_type: 'This type of content is not taken here.',
  too_many_requests: 'Too many attempts. Wait a moment and try again.',
  provider_failed: 'WhatsApp’s provider could not do this: {{reason}}',
  unavailable: 'Sendroom is not ready yet. Try again in a moment.',
  internal: 'Internal Server Error. Please try again later.',
} as const

export type ErrorCode = keyof typeof errorWords

/** The form field to which a refusal belongs, by error code. */
export const fieldOfError: Partial<Record<ErrorCode, string>> = {
  username_taken: 'username',
  email_taken: 'email',
  token_taken: 'whapiToken',
  token_in_use: 'whapiToken',
  test_token_refused: 'whapiToken',
  phone_unreadable: 'phoneNumbers',
  too_many_recipients: 'phoneNumbers',
  group_left: 'groupIds',
  not_an_image: 'imageFile',
  image_too_large: 'imageFile',
  image_too_many_pixels: 'imageFile',
  image_store_down: 'imageFile',
}

export type Params = Record<string, string | number>

/** Replaces each `{{name}}` in a sentence by its param. Placeholders without a param stay. */
export const fill = (sentence: string, params: Params = {}): string =>
  sentence.replace(/\{\{(\w+)\}\}/g, (place, name: string) => String(params[name] ?? place))
