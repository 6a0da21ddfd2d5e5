import type { Columns } from './column-notes.ts'
import { columnsOfContacts } from './personal-columns-of-contacts.ts'

/*
 * The columns that say something about people, and what becomes of it. Every column that can hold text is named here,
 * so that no table gets a person's name or number without somebody deciding how long it stays and who sees it. The test
 * beside this file compares the table with the database, and writes docs/admins/personal-data.md from it.
 */

const ACCOUNT = 'Admins, and Members who have the account'
const MEMBERS = 'Admins, and Members who have the account and may export members'
const NOBODY = 'nobody'

export const columns: Record<string, Columns> = {
  ...columnsOfContacts,
  api_keys: {
    personal: {
      name: 'what its owner called the key, which may name a colleague',
      last_used_address: 'the network address that used the key last',
    },
    kept: 'until the key is revoked, its owner deleted or locked, or 90 days after the key expired',
    shownTo: 'the owner, and Admins',
    other: ['token_hash', 'start', 'rights', 'instance_ids', 'addresses'],
  },
  audit_log: {
    personal: {
      user_name: 'who did something',
      address: 'the network address of that user',
      object_name: 'the name of a user, account or group, or the beginning of a message',
      details: 'texts of messages; names, email addresses and accounts’ numbers before and after a change',
      search_text: 'the above, for the search',
    },
    kept: '`AUDIT_DAYS`, a year unless set; what an entry is about may be gone long before',
    shownTo: 'Admins, also as CSV',
    other: ['action', 'object_type'],
  },
  backups: { other: ['error'] },
  count_changes: { other: ['owner', 'counter'] },
  counts: { other: ['owner', 'counter'] },
  deliveries: {
    personal: {
      chat_id: 'the phone number of a recipient; groups of former years have their creator’s in their id',
      recipient_name: 'the name of a contact or a group, or the number again',
      reason: 'what WhatsApp said of a failure',
    },
    kept:
      'until the job is deleted, or so many days after its end as **Retention** says; a deleted contact stays a ' +
      'recipient of former jobs',
    shownTo: `${ACCOUNT}, also as CSV and Excel`,
    other: ['status', 'provider_message_id'],
  },
  delivery_mentions: {
    personal: { phones: 'the numbers of the group members that a message mentions' },
    kept: 'for an hour after the message',
    shownTo: NOBODY,
  },
  delivery_texts: {
    personal: { text: 'the message as it is for this recipient, with their name and values' },
    kept: 'as long as the recipient in `deliveries`',
    shownTo: ACCOUNT,
  },
  delivery_views: {
    personal: {
      delivered: 'which members of a group got a message, as bits',
      read: 'which members read it',
    },
    kept: 'so many days after sending as **Retention** says, at first 7',
    shownTo: MEMBERS,
  },
  forget_requests: {
    personal: {
      phone: 'a number that is being forgotten',
      identities: 'that number, its other form, and what WhatsApp shows instead',
      requested_by_user_name: 'the Admin who asked for it',
    },
    kept: 'the number for some minutes, or until its messages have a result; the rest always',
    shownTo: 'Admins',
  },
  forgotten_opt_outs: {
    personal: { hash: 'a keyed hash of a forgotten number that gets no more messages' },
    kept: 'until the person wants messages again',
    shownTo: NOBODY,
  },
  disks: { other: ['host'] },
  group_sets: {
    personal: { name: 'the name of a set of groups', created_by_user_name: 'who created the set' },
    kept: 'until the set or its account is deleted',
    shownTo: 'Admins, the owner, and whom the set is shared with, as long as they have the account',
  },
  factor_rule: { other: ['required_of'] },
  factors: { other: ['secret_cipher', 'next_cipher'] },
  files: { other: ['name', 'mime_type', 'sha256', 'kinds', 'why_not'] },
  group_mentions: { other: ['chat_id'] },
  groups: {
    personal: {
      chat_id: 'in groups of former years begins with the creator’s phone number',
      name: 'the name, which may be that of people',
      search_text: 'the name, for the search',
    },
    kept:
      'until the account is deleted or its data cleared; a group that the account has left, for a week, or as long ' +
      'as a job has it, and so many days at most as **Retention** says',
    shownTo: ACCOUNT,
  },
  heartbeat: { other: ['timeline'] },
  images: { other: ['name', 'mime_type'] },
  installation: { other: ['secret_check', 'next_check', 'number_key_cipher'] },
  instances: {
    personal: {
      name: 'the name, which may be that of a colleague',
      whats_app_number: 'the account’s phone number',
      search_text: 'both, for the search',
    },
    kept: 'until the account is deleted',
    shownTo: ACCOUNT,
    other: [
      'token_cipher',
      'token_hash',
      'status',
      'time_zone',
      'sync_problem',
      'busy',
      'last_private_at',
      'sent_by_hour',
      'sent_by_day',
      'waiting',
      'webhook_base',
      'approval',
    ],
  },
  job_logs: {
    personal: {
      reason:
        'the name or number of a recipient, what WhatsApp said of a failure, the user who did something',
    },
    kept: 'until the job is deleted or restarted, or so many days after its end as **Retention** says',
    shownTo: ACCOUNT,
    other: ['log_level'],
  },
  job_reviews: {
    personal: {
      by_user_name: 'who asked for approval, approved or asked for changes',
      words: 'the changes that were asked for, or the reason of an override',
    },
    kept: 'until the job is deleted',
    shownTo: ACCOUNT,
    other: ['what', 'hash'],
  },
  jobs: {
    personal: {
      name: 'what its author called the job',
      text_content: 'the text of the message',
      content: 'the name of its file, the options of a poll, or a place',
      search_text: 'the text, for the search',
      created_by_user_name: 'who created the job',
      edited_by_user_name: 'who changed, restarted or retried it last',
    },
    kept: 'until the job or its account is deleted, or the account’s data cleared',
    shownTo: ACCOUNT,
    other: ['job_type', 'status', 'media_id', 'final_counts', 'review', 'review_hash'],
  },
  matched_messages: { other: ['provider_message_id'] },
  messages: {
    personal: {
      text_content: 'the text',
      content: 'the name of its file, the options of a poll, or a place',
      search_text: 'the text, for the search',
      created_by_user_name: 'who wrote it',
    },
    kept: 'until the message or its account is deleted, or the account’s data cleared, or so many days after its last use as **Retention** says',
    shownTo: `${ACCOUNT}; one without an account its author and Admins, a shared template everybody`,
  },
  migrations: { other: ['name', 'checksum', 'works_from'] },
  notice_choices: { other: ['kind', 'channels'] },
  notices: { other: ['moment'] },
  other_viewers: {
    personal: { person_id: 'the number of somebody who got a message in a group and is no member any more' },
    kept: 'as long as the group',
    shownTo: MEMBERS,
  },
  participants: {
    personal: {
      person_id: 'the member’s phone number, or the number that WhatsApp shows instead of a hidden one',
      name: 'the name that the account’s phone has for them',
    },
    kept: 'until a sync finds that the member has left, or as long as the group',
    shownTo: MEMBERS,
    other: ['rank'],
  },
  people_counts: { other: ['instances'] },
  poll_results: {
    personal: { voters: 'the numbers of those who voted in a poll, by option' },
    kept: 'as long as the recipient in `deliveries`; of polls that Sendroom did not send, a day',
    shownTo: MEMBERS,
    other: ['provider_message_id', 'counts'],
  },
  provider_uploads: { other: ['name', 'media_id'] },
  receipt_batches: {
    personal: { receipts: 'the number of whoever got or read a message' },
    kept: 'a second, until a worker has applied them',
    shownTo: NOBODY,
  },
  receipt_events: {
    personal: {
      viewer: 'the number of whoever got or read a message',
      detail: 'what WhatsApp said of a failure',
    },
    kept: 'seconds; half an hour if their message is unknown',
    shownTo: NOBODY,
    other: ['provider_message_id', 'state'],
  },
  receipts_set_aside: {
    personal: {
      receipts: 'receipts that could not be applied, with such numbers',
      reason: 'the error, which may repeat them',
    },
    kept: 'a week',
    shownTo: NOBODY,
  },
  series: {
    personal: {
      name: 'the name of a series, which may be that of people',
      recipients: 'phone numbers that were typed for a series',
      frozen: 'phone numbers of a series whose recipients stay as they were',
      author_name: 'who saved the series last',
      approved_by_name: 'who approved the series',
      changes_asked_by_name: 'who asked for changes of the series',
      changes_asked_words: 'the changes that were asked for',
      paused_reason: 'who paused the series',
    },
    kept: 'until the series or its account is deleted',
    shownTo: ACCOUNT,
    other: ['job_type', 'rule', 'quiet_days', 'quiet_policy', 'overlap', 'state', 'approved_hash'],
  },
  series_runs: {
    personal: { reason: 'who skipped a run' },
    kept: 'until the series is deleted, or so many days after the run as **Retention** says of logs',
    shownTo: ACCOUNT,
    other: ['local_time', 'state', 'outcome', 'approved_message'],
  },
  recovery_codes: { other: ['code_hash'] },
  sessions: {
    personal: {
      address: 'the network address that a user last came from',
      browser: 'the browser and the system that a user has signed in with',
    },
    kept: 'until the session ends: `SESSION_DAYS` after the sign-in, or `SESSION_IDLE` after the last use',
    shownTo: 'Admins, and the user',
    other: ['token_hash', 'former_hash'],
  },
  sign_in_tickets: { other: ['ticket_hash'] },
  sign_in_failures: {
    personal: { key: 'a keyed hash of a name that somebody tried to sign in with, or of their address' },
    kept: 'a day after the first failure, or until they sign in',
    shownTo: NOBODY,
  },
  troubles: { other: ['kind', 'host', 'reason'] },
  users: {
    personal: {
      username: 'the name',
      email: 'the email address',
      search_text: 'both, for the search',
      registered_from: 'a keyed hash of the network address that a registration came from',
    },
    kept: 'until the user is deleted; a registration that nobody activates, for 14 days',
    shownTo: 'Admins, and the user; the name also whoever sees what the user made',
    other: ['password_hash', 'role', 'language', 'generated_hash'],
  },
  // Events have ids and codes only.
  webhook_attempts: { other: ['type', 'body', 'error'] },
  webhook_events: { other: ['type', 'data'] },
  webhook_queue: { other: ['type', 'body'] },
  webhook_receivers: { other: ['name', 'url', 'secret_cipher', 'topics', 'url_cipher'] },
}
