import { errorWords, fill } from '@sendroom/contract/errors'
import { fieldWords } from '@sendroom/contract/field-words'
import { limits } from '@sendroom/contract/limits'
import { InvalidInput, Refusal } from '../platform/refusal.ts'
import { StartupError } from '../startup-error.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { type Command, EXIT, runCommand, UsageError } from './command-line.ts'
import { doctorCommand } from './doctor.ts'
import { rotateKeyCommand } from './rotate-key.ts'
import { userCommands } from './user.ts'

const commands: Record<string, Command> = {
  backup: backupCommand,
  restore: restoreCommand,
  doctor: doctorCommand,
  'rotate-key': rotateKeyCommand,
}

/** Runs `npm start -- NAME …`. Returns the exit code. A refusal becomes a StartupError with its sentence. */
export async function runNamed(name: string, words: string[]): Promise<number> {
  try {
    if (name !== 'user') return await runCommand(commandOf(commands, name, name), words)
    const [verb = '', ...rest] = words
    if (verb === '--help' || verb === '-h') return listUserCommands()
    return await runCommand(commandOf(userCommands, verb, `user ${verb}`), rest)
  } catch (error) {
    throw explain(error)
  }
}

function commandOf(known: Record<string, Command>, name: string, full: string): Command {
  const command = Object.hasOwn(known, name) ? known[name] : undefined
  if (command) return command
  throw new UsageError(`Unknown command: ${full.trim()}. npm start -- --help lists the commands.`)
}

function listUserCommands(): number {
  for (const { usage, help } of Object.values(userCommands))
    process.stdout.write(`npm start -- ${usage}\n${help.replace(/^/gm, '  ')}\n\n`)
  return EXIT.done
}

function explain(error: unknown): unknown {
  if (error instanceof InvalidInput) {
    const [message = ''] = Object.values(error.fields)
    const words = message in fieldWords ? fieldWords[message as keyof typeof fieldWords] : message
    return new StartupError(fill(words, { ...limits, ...error.params }))
  }
  if (error instanceof Refusal)
    return new StartupError(fill(errorWords[error.code], { ...limits, ...error.params }))
  return error
}
