import { backUp } from '../backup/backup.ts'
import { restore } from '../backup/restore.ts'
import { type Command, EXIT, stoppable } from './command-line.ts'

export const backupCommand: Command = {
  usage: 'backup FILE',
  help: `Writes everything into a new file, also while Sendroom runs. With BACKUP_PASSWORD the file is encrypted.

  --with-key   adds the encryption key`,
  options: { 'with-key': { type: 'boolean' } },
  async run({ args: { FILE = '' }, options, output }) {
    output.result(await backUp(stoppable(output), FILE, options['with-key'] === true))
    return EXIT.done
  },
}

export const restoreCommand: Command = {
  usage: 'restore FILE',
  help: `Fills an empty data folder or DATABASE_URL from a backup. Jobs that had not ended are paused. With the encryption key
only a file that was signed with this key is restored.

  --unsigned   accepts a file of an earlier version, which is not signed`,
  options: { unsigned: { type: 'boolean' } },
  async run({ args: { FILE = '' }, options, output }) {
    const allowsUnsigned = options.unsigned === true
    output.result(await restore(stoppable(output), FILE, { allowsUnsigned }))
    return EXIT.done
  },
}
