import type { Config } from '../config.ts'
import { openDatabase } from '../open-database.ts'
import { nobody, record } from '../platform/audit.ts'
import { LOCKS, lock } from '../platform/database/advisory-lock.ts'
import type { Pool } from '../platform/database/connection.ts'
import { encryptAnew, type Rotated } from '../platform/encrypted-columns.ts'
import { keepOnlyKey, openSecrets } from '../platform/secrets.ts'
import { StartupError } from '../startup-error.ts'
import { type Command, EXIT, stoppable } from './command-line.ts'

export const rotateKeyCommand: Command = {
  usage: 'rotate-key',
  help: `Encrypts everything anew with SECRET_KEY that SECRET_KEY_PREVIOUS has encrypted, also while Sendroom runs. Set
both for all processes and restart them before. The command may be stopped at any time, and run again.`,
  options: {},
  async run({ output }) {
    const { config, log, signal } = stoppable(output)
    const database = await openDatabase(config, log)
    try {
      const rotated = await rotateKey(database.db, config, signal)
      output.result(rotated, ...sentencesOf(rotated))
      return isComplete(rotated) ? EXIT.done : EXIT.failed
    } catch (error) {
      throw signal.aborted ? new StartupError('Stopped before the end. Run the command again.') : error
    } finally {
      await database.close()
    }
  },
}

/** Encrypts everything anew. If no value is left that needs the former key, the database forgets that one. */
export async function rotateKey(
  db: Pool,
  config: Pick<Config, 'secretKey' | 'previousKey' | 'dataDir'>,
  signal?: AbortSignal,
): Promise<Rotated> {
  const secrets = await openSecrets(db, config)
  let count = 0
  // Another process may have written with the former key meanwhile, until it is started with both.
  for (;;) {
    const pass = await encryptAnew(db, secrets, signal)
    count += pass.count
    if (!isComplete(pass)) return { ...pass, count }
    if (pass.count === 0) break
  }
  await db.begin(async (tx) => {
    await lock(tx, LOCKS.secrets)
    await keepOnlyKey(tx, secrets)
    if (count > 0 || secrets.former)
      await record(tx, nobody(''), { action: 'key.replace', details: { by: 'command', count } })
  })
  return { count, unreadable: [], taken: [] }
}

const isComplete = ({ unreadable, taken }: Rotated) => unreadable.length + taken.length === 0

function sentencesOf(rotated: Rotated): string[] {
  const { count, unreadable, taken } = rotated
  const done = `Encrypted anew with SECRET_KEY: ${count}.`
  if (isComplete(rotated))
    return [done, 'Everything is encrypted with SECRET_KEY. Remove SECRET_KEY_PREVIOUS, and restart.']
  const ofUnreadable = `Neither key can read: ${unreadable.join(', ')}. Set SECRET_KEY_PREVIOUS to the key that they were encrypted with, or enter their tokens anew, and run the command again.`
  const ofTaken = `Another account has the same token: ${taken.join(', ')}. Delete one of the two, or enter another token, and run the command again.`
  return [done, ...(unreadable.length > 0 ? [ofUnreadable] : []), ...(taken.length > 0 ? [ofTaken] : [])]
}
