import { text } from 'node:stream/consumers'
import { NewUser } from '@sendroom/contract/users'
import { pino } from 'pino'
import { type Config, loadConfig } from '../config.ts'
import { forgetFailuresOf } from '../features/session/attempts.ts'
import { resetFactorByCommand } from '../features/session/factor.service.ts'
import { resetPassword } from '../features/session/first-admin.ts'
import { createUserByCommand, unlockByCommand } from '../features/users/users.service.ts'
import { openDatabase } from '../open-database.ts'
import type { Pool } from '../platform/database/connection.ts'
import { sql } from '../platform/database/sql.ts'
import { generatePassword } from '../platform/passwords.ts'
import { InvalidInput } from '../platform/refusal.ts'
import { openSecrets } from '../platform/secrets.ts'
import { StartupError } from '../startup-error.ts'
import { type Call, type Command, EXIT, UsageError } from './command-line.ts'

const passwordOption = { 'password-stdin': { type: 'boolean' } } as const
const passwordHelp =
  '  --password-stdin   reads the password from standard input; otherwise one is generated and printed once'

const add: Command = {
  usage: 'user add NAME',
  help: `Adds an active user with all rights.

  --email ADDRESS    the user's email address
  --admin            makes the user an Admin; otherwise a Member without accounts
${passwordHelp}`,
  options: { email: { type: 'string' }, admin: { type: 'boolean' }, ...passwordOption },
  async run({ args: { NAME = '' }, options, output }) {
    const config = loadConfig()
    const chosen = await chosenPassword(options)
    const password = chosen ?? generatePassword(config.passwordMin)
    const role = options.admin ? 'Admin' : 'Member'
    const form = NewUser.safeParse({ username: NAME, email: options.email ?? '', password, role })
    if (form.error) {
      const fields = form.error.issues.map(({ path, message }) => [String(path[0]), message])
      throw new InvalidInput(Object.fromEntries(fields))
    }
    const user = await withDatabase(config, (db) => createUserByCommand({ db, config }, form.data))
    const { id, username, email } = user
    output.result(
      { id, username, email, role },
      `${role} ${username} was added.`,
      ...said(username, password, chosen),
    )
    return EXIT.done
  },
}

const list: Command = {
  usage: 'user list',
  help: 'Lists all users.',
  options: {},
  async run({ output }) {
    const users = await withDatabase(loadConfig(), (db) =>
      db.many<{ username: string; email: string; role: string; state: string }>(sql`
        select username, email, role,
          case when is_active then 'active' when is_waiting then 'waiting' else 'locked' end as state
        from users order by lower(username)`),
    )
    output.result(
      users,
      ...users.map(({ username, email, role, state }) => [username, email, role, state].join('\t')),
    )
    return EXIT.done
  },
}

const reset: Command = {
  usage: 'user reset-password NAME',
  help: `Sets a new password for a user, and ends the user's sessions.

${passwordHelp}`,
  options: passwordOption,
  async run({ args: { NAME = '' }, options, output }) {
    const config = loadConfig()
    const chosen = await chosenPassword(options)
    const password = await withDatabase(config, (db) => resetPassword(db, NAME, config, chosen))
    output.result({ username: NAME }, ...said(NAME, password, chosen))
    return EXIT.done
  },
}

const unlock: Command = {
  usage: 'user unlock NAME',
  help: 'Lets a locked user, or one who has registered, sign in, and ends the wait after wrong passwords.',
  options: {},
  async run({ args: { NAME = '' }, output }) {
    const config = loadConfig()
    const wasLocked = await withDatabase(config, async (db) => {
      const user = await db.maybeOne<{ id: number; name: string }>(sql`
        select id, lower(username) as name from users where lower(username) = lower(${NAME})`)
      if (!user) throw new StartupError(`There is no user called ${NAME}.`)
      const secrets = await openSecrets(db, config)
      await forgetFailuresOf({ db, secrets }, user)
      return unlockByCommand(db, user.id)
    })
    const sentence = wasLocked ? `${NAME} can sign in again.` : `${NAME} was not locked. Waits are over.`
    output.result({ username: NAME, wasLocked }, sentence)
    return EXIT.done
  },
}

const resetFactor: Command = {
  usage: 'user reset-factor NAME',
  help: "Removes a user's second factor, and ends the user's sessions.",
  options: {},
  async run({ args: { NAME = '' }, output }) {
    const hadFactor = await withDatabase(loadConfig(), (db) => resetFactorByCommand(db, NAME))
    const sentence = hadFactor
      ? `${NAME} signs in without a second factor, until they set up another one.`
      : `${NAME} had no second factor.`
    output.result({ username: NAME, hadFactor }, sentence)
    return EXIT.done
  },
}

export const userCommands: Record<string, Command> = {
  add,
  list,
  'reset-password': reset,
  'reset-factor': resetFactor,
  unlock,
}

/** The password from standard input. Undefined if one is to be generated, which JSON must not show. */
async function chosenPassword(options: Call['options']): Promise<string | undefined> {
  if (options['password-stdin']) return (await text(process.stdin)).split(/\r?\n/)[0] ?? ''
  if (options.json)
    throw new UsageError('With --json, give the password with --password-stdin: JSON never has one.')
  return undefined
}

const said = (username: string, password: string, chosen: string | undefined) =>
  chosen === undefined
    ? [`The new password of ${username} is ${password}`]
    : [`The password of ${username} is set.`]

async function withDatabase<T>(config: Config, work: (db: Pool) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, pino({ level: 'warn' }, pino.destination(2)))
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}
