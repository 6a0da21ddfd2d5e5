import type { ErrorCode, Params } from '@sendroom/contract/errors'

/** The HTTP status of each refusal. A new code without a status does not compile. */
export const STATUS: Record<ErrorCode, number> = {
  invalid_input: 400,
  form_damaged: 400,
  channel_without_members: 409,
  group_left: 400,
  phone_unreadable: 400,
  too_many_recipients: 400,
  values_missing: 400,
  texts_too_long: 400,
  unauthenticated: 401,
  login_failed: 401,
  factor_required: 401,
  ticket_invalid: 401,
  code_wrong: 401,
  waiting_for_activation: 401,
  forbidden: 403,
  confirm_password: 403,
  not_for_keys: 403,
  key_from_elsewhere: 403,
  factor_setup_required: 403,
  factor_is_required: 409,
  own_factor: 409,
  forgery: 403,
  registration_closed: 403,
  not_found: 404,
  username_taken: 409,
  email_taken: 409,
  token_taken: 409,
  token_in_use: 409,
  test_token_refused: 400,
  test_mode_off: 400,
  number_check_metered: 409,
  last_admin: 409,
  own_user: 409,
  instance_inactive: 409,
  already_connected: 409,
  already_logged_out: 409,
  not_connected: 409,
  account_busy: 409,
  job_not_restartable: 409,
  in_review: 409,
  not_in_review: 409,
  series_not_in_review: 409,
  approval_not_askable: 409,
  approval_of_own: 403,
  approval_overdue: 409,
  approval_needs_two: 409,
  job_not_changeable: 409,
  job_of_another: 403,
  job_not_cancellable: 409,
  job_not_pausable: 409,
  job_not_resumable: 409,
  job_not_retryable: 409,
  job_nothing_to_retry: 409,
  job_recipients_deleted: 409,
  job_settling: 409,
  job_busy: 409,
  stale_version: 409,
  mail_off: 409,
  too_many_receivers: 409,
  too_many_api_keys: 409,
  receiver_full: 409,
  host_not_allowed: 409,
  number_key_missing: 409,
  number_taken: 409,
  too_many_tags: 409,
  contact_tags_full: 409,
  contact_field_taken: 409,
  contact_field_used: 409,
  contact_choice_used: 409,
  list_taken: 409,
  list_has_filter: 409,
  used_by_list: 409,
  too_many_lists: 409,
  group_set_taken: 409,
  series_taken: 409,
  series_too_many: 409,
  used_by_series: 409,
  series_not_pausable: 409,
  series_not_resumable: 409,
  series_ended: 409,
  run_not_planned: 409,
  too_many_contact_fields: 409,
  file_missing: 400,
  file_empty: 400,
  file_unsupported: 415,
  file_damaged: 400,
  file_unclosed_quote: 400,
  file_no_such_sheet: 400,
  file_unpacks_too_large: 413,
  file_too_many_columns: 400,
  file_too_many_rows: 400,
  no_phone_column: 400,
  import_failed: 409,
  import_not_ready: 409,
  import_not_allowed: 409,
  import_busy: 409,
  import_not_undoable: 409,
  too_many_imports: 409,
  file_too_large: 413,
  file_over_limit: 413,
  too_large: 413,
  image_too_large: 413,
  image_too_many_pixels: 413,
  image_too_complex: 413,
  not_an_image: 415,
  unsupported_type: 415,
  quota_recipients_user: 409,
  quota_recipients_account: 409,
  quota_images: 409,
  quota_images_of_author: 409,
  quota_number_checks: 409,
  too_many_requests: 429,
  quota_syncs: 429,
  quota_searches: 429,
  internal: 500,
  provider_failed: 502,
  mail_failed: 502,
  image_store_down: 503,
  file_store_down: 503,
  qr_not_ready: 503,
  database_unavailable: 503,
  unavailable: 503,
}

/** A refusal that the caller is meant to see. Any other error is a bug and becomes `internal`. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly params: Params
  readonly retryAfterSeconds: number | null

  /** `cause` is for the log only: an error that an operator has to look into. */
  constructor(
    code: ErrorCode,
    params: Params = {},
    retryAfterSeconds: number | null = null,
    cause?: unknown,
  ) {
    super(code, { cause })
    this.code = code
    this.params = params
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Refused input. Each wrong field has the key of a message: see `fieldWords`. `params` are for messages that name
 * another number than that of `limits`.
 */
export class InvalidInput extends Error {
  readonly fields: Record<string, string>
  readonly params: Params

  constructor(fields: Record<string, string>, params: Params = {}) {
    super('invalid_input')
    this.fields = fields
    this.params = params
  }
}

/** Rethrows an error of fields that the request has below another one, such as those of `message`. */
export const asBelow =
  (parent: string) =>
  (error: unknown): never => {
    if (!(error instanceof InvalidInput)) throw error
    const fields = Object.entries(error.fields).map(([field, words]) => [`${parent}.${field}`, words])
    throw new InvalidInput(Object.fromEntries(fields), error.params)
  }

/** Throws `stale_version` if the caller has read another version than the present one. Callers may omit theirs. */
export function requireVersion(read: number | undefined, present: number): void {
  if (read !== undefined && read !== present) throw new Refusal('stale_version')
}

/** Throws `not_found` for null. Queries return null for rows that the caller may not see, too. */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw new Refusal('not_found')
  return found
}
