/**
 * The findings of the System page and of `npm start -- doctor`, in English. The web app translates them by the keys
 * `FINDING.<code>` and `REMEDY.<code>`. A test ensures that its English texts equal these. A finding with a remedy is a
 * trouble. This file does not import zod, so that pages do not load the schemas.
 */
export const findingWords = {
  version: 'Sendroom {{version}} runs with PostgreSQL {{postgres}}. Last migration: {{migration}}.',
  schema_foreign: 'The tables do not belong to this version of Sendroom. Last migration: {{migration}}.',
  database_ok:
    'The database has {{megabytes}} MB and answers. {{connections}} of {{maxConnections}} connections are in use.',
  database_away: 'The database is unavailable: {{reason}}',
  database_plain: 'Connections to the database at {{hosts}} may be unencrypted.',
  database_unsafe: 'Nothing is sent: PostgreSQL runs with fsync or synchronous_commit off.',
  connections_few: '{{connections}} of {{maxConnections}} connections to the database are in use.',
  replication_ok: 'Standby servers of the database: {{standbys}}.',
  replication_late: 'A standby server of the database is {{seconds}} seconds behind.',
  pooler_ok: 'The pooler answers.',
  pooler_away: 'The pooler does not answer: {{reason}}',
  key_ok: 'The encryption key belongs to this database.',
  key_wrong: 'The encryption key is missing, or belongs to another database.',
  key_two: 'Not everything is encrypted with the new key yet.',
  key_previous: 'SECRET_KEY_PREVIOUS is still set. Everything is encrypted with the new key.',
  key_beside: 'The encryption key is in {{folder}}, beside the database that it protects.',
  number_key_wrong: 'The key of forgotten numbers can’t be read, so messages to people wait.',
  password_generated:
    'The password of {{name}} was generated at the first start, so the log holds the password.',
  processes_ok: 'Workers: {{workers}}. Servers: {{servers}}.',
  not_running: 'Sendroom does not run.',
  no_worker: 'No worker runs, so nothing is sent.',
  no_server: 'No server runs, so nobody can sign in.',
  workers_stuck: 'The last sign of life of a worker is {{seconds}} seconds old.',
  accounts_ok: 'Active accounts: {{accounts}}. None is in trouble.',
  accounts_troubled: 'Accounts in trouble: {{count}} ({{names}}).',
  test_mode_off: 'Test mode is off (TEST_MODE). Accounts that send nothing because of this: {{accounts}}.',
  queue_ok: 'Messages to send: {{due}} now, {{scheduled}} at a set time, {{paused}} in paused jobs.',
  queue_stands: 'Accounts that could send, and that no worker serves: {{accounts}}.',
  receipts_late: 'Receipts that have not been applied: {{count}} or more.',
  receipts_set_aside: 'Receipts of the last week that could not be applied: {{count}}.',
  disk_ok: 'The disk with {{folder}} has {{gigabytes}} GB left.',
  disk_low: 'The disk with {{folder}} has only {{gigabytes}} GB left.',
  folder_unwritable: 'Sendroom cannot write into {{folder}}: {{reason}}',
  clock_ok: 'The clocks of this machine, the database and the provider agree.',
  clock_off: 'The clock of this machine and that of {{other}} differ by {{seconds}} seconds.',
  provider_ok: 'The provider {{host}} answers within {{milliseconds}} ms.',
  provider_away: 'The provider {{host}} does not answer.',
  provider_unneeded: 'The provider {{host}} does not answer. No active account needs it.',
  public_ok: 'Sendroom can be reached at {{host}}.',
  public_away: 'Sendroom cannot be reached at {{host}}: {{reason}}',
  public_missing: 'Sendroom has no public address, so receipts come late.',
  hosts_any: 'Sendroom may connect to any host. The configuration names: {{hosts}}.',
  hosts_limited: 'Sendroom connects to no hosts but these: {{hosts}}.',
  mail_ok: 'The mail server {{host}} can be reached.',
  mail_off: 'Email is not set up.',
  mail_away: 'The mail server {{host}} cannot be reached: {{reason}}',
  mail_insecure: 'The connection to the mail server {{host}} is not secure: {{reason}}',
  mail_refused: 'The mail server {{host}} refuses the sign-in: {{reason}}',
  counts_ok: 'All kept numbers agree with the rows that they count.',
  counts_wrong: 'Numbers that differ from the rows that they count: {{count}} ({{examples}}).',
  counts_repaired: 'Numbers that were corrected: {{count}} ({{examples}}).',
  backup_ok: 'The last backup is {{hours}} hours old.',
  backup_old: 'The last backup is {{days}} days old.',
  backup_missing: 'There is no backup.',
  check_failed: 'The check “{{check}}” has failed: {{reason}}',
} as const
export type FindingCode = keyof typeof findingWords

export const remedyWords = {
  schema_foreign: 'Start the version of Sendroom that has used this database last, or a newer one.',
  database_away:
    'Start PostgreSQL, and check DATABASE_URL and the network. Without DATABASE_URL, read postgres.log in DATA_DIR.',
  database_plain: 'Add {{option}} to DATABASE_URL, and restart.',
  database_unsafe:
    'Switch both on in postgresql.conf and reload PostgreSQL. Otherwise a crash could lose what was sent, and people would get it twice.',
  connections_few: 'Raise max_connections of PostgreSQL, or put a pooler before the servers.',
  replication_late: 'Check the standby server and its network. A failover now would lose the last messages.',
  pooler_away: 'Start the pooler that DATABASE_URL names, or let DATABASE_URL lead to the database itself.',
  key_wrong: 'Set SECRET_KEY as it was, or copy secret.key back into DATA_DIR.',
  key_two: 'Run {{command}}. Jobs may run meanwhile.',
  key_previous: 'Remove SECRET_KEY_PREVIOUS, and restart.',
  key_beside: 'Keep the key elsewhere: set SECRET_KEY or SECRET_KEY_FILE to it, and delete secret.key there.',
  number_key_wrong: 'Put back the row of the table {{table}} from the last backup.',
  password_generated: 'Sign in as {{name}}, and choose another password in the menu with your name.',
  not_running: 'Start it with {{command}}.',
  no_worker: 'Start one with {{command}}.',
  no_server: 'Start one with {{command}}.',
  workers_stuck: 'Read the log of the workers, and restart them.',
  accounts_troubled: 'Open the accounts. Each says what is wrong and what to do.',
  queue_stands: 'Read the log of the workers for errors with a step. Restart the workers, or add one.',
  receipts_late: 'Check whether the database is slow. Add a worker if it is not.',
  receipts_set_aside:
    'Report the rows of the table {{table}} to the developers. Sendroom deletes them after a week.',
  disk_low: 'Free some space, or move DATA_DIR to a larger disk.',
  folder_unwritable: 'Create the folder, and make the user that runs Sendroom its owner.',
  clock_off: 'Let a time service such as chrony set the clock.',
  provider_away: 'Check WHAPI_BASE_URL, the network and the firewall. Jobs go on by themselves afterwards.',
  provider_unneeded:
    'Before you link a real account, check WHAPI_BASE_URL, the network and the firewall. Test accounts send without it.',
  public_away: 'Check PUBLIC_URL, the proxy and its certificate.',
  public_missing: 'Set PUBLIC_URL to the address at which the provider reaches Sendroom.',
  mail_off: 'To get notices by email, set SMTP_URL and MAIL_FROM.',
  mail_away: 'Check SMTP_URL and the firewall.',
  mail_insecure:
    'Let SMTP_URL name the server as its certificate does. If the authority is your own, set NODE_EXTRA_CA_CERTS.',
  mail_refused: 'Check the user name and password in SMTP_URL.',
  counts_wrong: 'Run {{command}}. Jobs may run meanwhile.',
  backup_old: 'Run {{command}}, and see why the regular backup has failed.',
  backup_missing: 'Run {{command}}, best every day.',
  check_failed: 'Read the log. If the reason is not clear, report this sentence.',
} as const satisfies Partial<Record<FindingCode, string>>

/** These findings stop the work, or will soon. Others with a remedy are warnings. */
const errors: FindingCode[] = [
  ...([
    'schema_foreign',
    'database_away',
    'database_unsafe',
    'pooler_away',
    'key_wrong',
    'number_key_wrong',
    'not_running',
    'no_worker',
  ] as const),
  ...(['workers_stuck', 'queue_stands', 'disk_low', 'folder_unwritable', 'provider_away'] as const),
  ...(['public_away', 'mail_away', 'mail_insecure', 'mail_refused'] as const),
]
/** Not set up, which is no trouble for who does not need it. */
const optional: FindingCode[] = ['mail_off']

export type Level = 'ok' | 'warning' | 'error'

export function levelOf(code: FindingCode): Level {
  if (errors.includes(code)) return 'error'
  return hasRemedy(code) && !optional.includes(code) ? 'warning' : 'ok'
}

export const hasRemedy = (code: FindingCode): code is keyof typeof remedyWords =>
  Object.hasOwn(remedyWords, code)
