import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { pino } from 'pino'
import { loadConfig } from '../config.ts'
import { StartupError } from '../startup-error.ts'

/** The exit codes of commands. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const

/** A wrong call of a command: what is wrong, and how to find out what is right. */
export class UsageError extends StartupError {
  override name = 'UsageError'
  override readonly exitCode = EXIT.usage
}

export type Values = Record<string, string | boolean | undefined>

export type Command = {
  /** The words after `npm start --`, such as `user add NAME`. Those in capitals are arguments. */
  usage: string
  /** The text that `--help` prints below the usage. */
  help: string
  options: ParseArgsOptionsConfig
  /** Runs the command and returns its exit code. */
  run: (call: Call) => Promise<number>
}

/** A call of a command: its arguments by name, and its options. */
export type Call = { args: Record<string, string>; options: Values; output: Output }

export type Output = {
  /** Says how far a long command is. With --json on stderr, because stdout has the result alone. */
  progress: (sentence: string) => void
  /** Prints the result: the value with --json, the sentences without. Neither has a secret, except a new password. */
  result: (value: object, ...sentences: string[]) => void
}

const COMMON = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/** Parses the arguments that come after the command's words and runs it. Returns the exit code. */
export async function runCommand(command: Command, words: string[]): Promise<number> {
  const { values, positionals } = parse(command, words)
  if (values.help) {
    process.stdout.write(`Usage: npm start -- ${command.usage} [--json]\n\n${command.help}\n`)
    return EXIT.done
  }
  const names = command.usage.match(/(?<= )[A-Z]+(?= |$)/g) ?? []
  if (positionals.length !== names.length) throw wrongUsage(command)
  const args = Object.fromEntries(names.map((name, index) => [name, positionals[index] ?? '']))
  return command.run({ args, options: values, output: outputOf(values.json === true) })
}

function parse(command: Command, words: string[]) {
  try {
    const options = { ...COMMON, ...command.options }
    const parsed = parseArgs({ args: words, options, allowPositionals: true })
    return { values: parsed.values as Values, positionals: parsed.positionals } // no option is `multiple`
  } catch (error) {
    // The words of parseArgs are a sentence, sometimes with advice for programmers behind it.
    throw wrongUsage(command, error instanceof Error ? error.message.split('. ')[0] : undefined)
  }
}

const wrongUsage = ({ usage }: Command, problem = 'Wrong arguments') =>
  new UsageError(`${problem}. Usage: npm start -- ${usage}`)

const say = (sentence: string) => void process.stdout.write(`${sentence}\n`)

const outputOf = (isJson: boolean): Output => ({
  progress: (sentence) => void (isJson ? process.stderr : process.stdout).write(`${sentence}\n`),
  result: (value, ...sentences) => (isJson ? say(JSON.stringify(value)) : sentences.forEach(say)),
})

/** Returns the context of a command that takes long, so that SIGINT and SIGTERM stop it in good order. */
export function stoppable({ progress }: Output) {
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort())
  process.once('SIGINT', () => stopping.abort())
  const log = pino({ level: 'warn' }, pino.destination(2))
  return { config: loadConfig(), log, say: progress, signal: stopping.signal }
}
