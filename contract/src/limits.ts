/**
 * The business constants, in one place. Free of zod, so that pages which need a number don't load the schemas.
 * Texts of validation rules take them by name: `{{instanceName}}`.
 */
export const limits = {
  messageText: 4000,
  titleLength: 50,
  instanceName: 100,
  whatsAppNumber: 50,
  whapiToken: 200,
  usernameMin: 3,
  usernameMax: 100,
  emailMax: 200,
  /** Of an address that somebody registers with: as long as one may be, and as its part before the at-sign may be. */
  registrationEmailMax: 254,
  emailNameMax: 64,
  passwordMin: 6,
  passwordMax: 100,
  imageMegabytes: 5,
  /** Millions of pixels, those of all frames together: a small file may unfold to gigabytes, and 50 are seconds of work. */
  imageMegapixels: 50,
  /** Recipients of one job. */
  recipients: 100_000,
  search: 200,
  pageSize: 10,
  pageSizeMax: 1000,
  /** How many of its newest deliveries and log lines a job's page carries; the rest is paged. */
  jobDetailRows: 200,
  /** How many groups or numbers a job's page names; `recipients.total` says how many there are. */
  jobDetailRecipients: 1000,
  /** How many numbers or groups a preview names as trouble; it counts them all. */
  previewNames: 50,
  /** Longest pause between two messages that can be set, in seconds. */
  pauseSeconds: 3600,
  dailyCap: 100_000,
} as const

export const pageSizes = [10, 25, 50, 100] as const

/** Days left of an account's term from which its badge warns, and warns more strongly. */
export const expiryDays = { warning: 7, strong: 3 } as const

/** The image kinds that are taken; judged by the bytes, never by the name. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] as const
