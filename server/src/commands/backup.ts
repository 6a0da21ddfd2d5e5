import { backUp } from '../backup/backup.ts'
import { restore } from '../backup/restore.ts'
import { type Command, EXIT, stoppable } from './command-line.ts'

export const backupCommand: Command = {
  usage: 'backup FILE',
  help: `Writes everything into a new file, also while Sendroom runs.

  --with-key   adds the encryption key`,
  options: { 'with-key': { type: 'boolean' } },
  async run({ args: { FILE = '' }, options, output }) {
    output.result(await backUp(stoppable(output), FILE, options['with-key'] === true))
    return EXIT.done
  },
}

export const restoreCommand: Command = {
  usage: 'restore FILE',
  help: 'Fills an empty data folder or DATABASE_URL from a backup. Jobs that had not ended are paused.',
  options: {},
  async run({ args: { FILE = '' }, output }) {
    output.result(await restore(stoppable(output), FILE))
    return EXIT.done
  },
}
