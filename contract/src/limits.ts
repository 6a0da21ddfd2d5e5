/**
 * The business limits. This file does not import zod, so that pages that need a number do not load the schemas. Texts
 * refer to the limits by name: `{{instanceName}}`. Text lengths are in UTF-16 code units.
 */
export const limits = {
  messageText: 4000,
  /** Longer captions may be cut off: WhatsApp publishes this limit for them. */
  caption: 1024,
  /** In UTF-8: file systems allow no more bytes. */
  fileName: 255,
  /** Whapi allows 2 to 12 options. The length of a question and of an option is that of WhatsApp's own apps. */
  pollQuestion: 255,
  pollOptionsMin: 2,
  pollOptionsMax: 12,
  pollOption: 100,
  locationAddress: 300,
  titleLength: 50,
  jobName: 100,
  /** Characters of the changes that an approver asks for, or of the reason of an override. */
  reviewWords: 1000,
  /** The steps of its approval that a job shows, and the names of those who can approve it. */
  jobReviews: 100,
  firstApprovers: 10,
  /** The number above which an account's jobs need approval. */
  approvalAbove: 100_000,
  instanceName: 100,
  whatsAppNumber: 50,
  whapiToken: 200,
  usernameMin: 3,
  usernameMax: 100,
  emailMax: 200,
  /** RFC 5321 maximum lengths of an email address and of its part before the at-sign, enforced at registration. */
  registrationEmailMax: 254,
  emailNameMax: 64,
  passwordMin: 6,
  passwordMax: 100,
  /** A registration that no Admin has activated is deleted after this many days. */
  registrationDays: 14,
  /** How long after entering the password a user may do what needs a confirmation. */
  confirmationMinutes: 10,
  imageMegabytes: 5,
  /**
   * Millions of pixels of all frames together. A small file may decode to gigabytes. Some decoders hold the whole
   * image: 25 million pixels take 100 MB.
   */
  imageMegapixels: 25,
  /** The largest file of a message, and the largest that WhatsApp plays as a video or audio. */
  fileMegabytes: 100,
  playedMegabytes: 16,
  /** The maximum number of recipients of a job. */
  recipients: 100_000,
  /** The most lists of a job, and as many lists to leave out and sets of groups. */
  jobLists: 100,
  /** A file with contacts may have so much. */
  importRows: 100_000,
  importColumns: 100,
  importCell: 10_000,
  importMegabytes: 20,
  importSheet: 200,
  importConsent: 1000,
  /** Imports of a user that have not begun. */
  importsWaiting: 5,
  /** An account checks so many numbers a day at most, of which a user may have so many waiting. Answers get so old. */
  numberChecksPerDay: 1000,
  numberChecksMetered: 30,
  numberChecksWaiting: 10_000,
  numberCheckDays: 30,
  /** An import that has not begun is deleted after so many hours, and can be undone for so many days. */
  importHours: 24,
  importDays: 30,
  /** So many rows of a file are shown. */
  importPreview: 50,
  search: 200,
  pageSize: 10,
  pageSizeMax: 1000,
  /** The number of newest deliveries and log lines in a job's answer. Older ones are paged. */
  jobDetailRows: 200,
  /** The number of groups or phone numbers in a job's answer. */
  jobDetailRecipients: 1000,
  /** The number of problematic numbers or groups that a preview names. Their count is not limited. */
  previewNames: 50,
  /** The longest allowed pause between two messages, in seconds. */
  pauseSeconds: 3600,
  dailyCap: 100_000,
  /** An instance keeps the times of so many private messages, and each person those of so many. */
  perQuarterHour: 200,
  personCap: 50,
  /** The counts by day are kept for a month. */
  daysInARow: 30,
  personRestDays: 365,
  /** Receipts count until a message is this old. Nothing that they need is deleted earlier. */
  receiptDays: 7,
  /** The fewest days for which a message, group or contact that nobody uses is kept. */
  unusedDays: 30,
  /** The most days that an Admin can choose for keeping details. */
  retentionDays: 3650,
  /** The largest quota that an Admin can set. */
  quota: 1_000_000_000,
  /** Notices of troubles that are over are kept for this many days. */
  noticeDays: 90,
  /** The API keys of a user, what each may name, and how many days it lives at most. */
  apiKeysPerUser: 20,
  apiKeyName: 100,
  apiKeyInstances: 1000,
  apiKeyAddresses: 50,
  apiKeyDays: 730,
  /** Requests that a key may make in a minute. Those of its owner do not count. */
  apiKeyRequests: 600,
  /** An API key that has expired stays in the list for so many days. */
  expiredKeyDays: 90,
  /** The maximum number of receivers of webhooks. Each takes a few connections of a worker. */
  receivers: 20,
  receiverName: 100,
  receiverUrl: 1000,
  /** The maximum number of events that wait for a receiver, beside one that tells how many were dropped. */
  waitingEvents: 10_000,
  /** The attempts that are listed for a receiver: so many that arrived, and so many that failed. */
  attempts: 50,
  contactName: 200,
  contactNote: 2000,
  /** The most phone numbers of one contact. */
  contactNumbers: 5,
  /** The most tags of one contact, and of all together. */
  contactTags: 50,
  tags: 1000,
  tagName: 50,
  /** The maximum number of fields that an Admin can define, and the longest value of one. */
  contactFields: 30,
  contactFieldKey: 30,
  contactFieldName: 50,
  contactChoices: 100,
  contactValue: 500,
  /** The most contacts that one call changes or deletes. The client calls again while more match. */
  contactsAtOnce: 10_000,
  /** The most contacts that a form offers for a search. */
  contactChoicesAtOnce: 20,
  /** The names of lists and of sets of groups, and the maximum number of all lists. */
  optOutNote: 500,
  optOutWord: 40,
  /** Words of a kind in one language. */
  optOutWords: 50,
  listName: 100,
  lists: 1000,
  groupSetGroups: 1000,
  /** A series repeats every so many days, weeks, months or years, so many times a day, and has so many runs. */
  seriesEvery: 99,
  seriesOfInstance: 100,
  seriesTimes: 4,
  seriesRuns: 9999,
  seriesName: 100,
  seriesMessages: 50,
  /** The typed numbers of a series, as text. More of them belong into a list. */
  seriesPhones: 20_000,
  seriesQuietDays: 366,
  /** Runs are rows so many days ahead, and a run can be moved so far. */
  seriesDaysAhead: 62,
  /** A run that could not be made in time is still made when it is so late at most. */
  seriesHoursLate: 2,
  /** A calendar has six weeks at most. Of each day it counts so many entries and has so many, a single day more. */
  calendarDays: 42,
  calendarCount: 200,
  calendarEntries: 20,
  calendarEntriesOfDay: 200,
  /** A page lists so many sessions of a user. Programs that sign in for each call may leave more. */
  listedSessions: 200,
  /** The sessions of a user that were used last stay. A thief could leave more than can be ended in time. */
  sessionsPerUser: 1000,
} as const

export const pageSizes = [10, 25, 50, 100] as const

/** An instance's expiry badge warns from this many days before the expiry, and strongly from the second number. */
export const expiryDays = { warning: 7, strong: 3 } as const

/** The allowed image types. The server detects the type from the bytes, never from the file name. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] as const
