/** npm run simulator -- [OPTIONS]: runs until SIGINT or SIGTERM. */
import { parseArgs } from 'node:util'
import { type SimulatorOptions, startSimulator } from './index.ts'

const USAGE = `Usage: npm run simulator -- [OPTIONS]

Options:
  --port PORT         listen on this port of 127.0.0.1 (default 4010; 0 takes a free one)
  --file FILE         keep channels and messages in this file
  --groups COUNT      give every channel so many groups (default 320)
  --group-size COUNT  give every group so many participants (default 3 to 1,024)
  --clock-shift MS    run the provider's clock ahead by this many milliseconds
  --help              print this text`

const options = readOptions()
const simulator = await startSimulator(options).catch((error: Error) =>
  fail(`The simulator could not start: ${error.message}.`),
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.close().then(() => process.exit(0)))
}
console.log(`The simulator is running at ${simulator.url}`)

function readOptions(): SimulatorOptions {
  try {
    const type = 'string'
    const { values } = parseArgs({
      options: {
        port: { type },
        file: { type },
        groups: { type },
        'group-size': { type },
        'clock-shift': { type },
        help: { type: 'boolean' },
      },
    })
    if (values.help) {
      console.log(USAGE)
      process.exit(0)
    }
    const port = Number(values.port ?? 4010)
    if (!Number.isInteger(port) || port < 0 || port > 65_535) fail('--port must be a number from 0 to 65535.')
    const clockShiftMs = Number(values['clock-shift'] ?? 0)
    if (!Number.isFinite(clockShiftMs)) fail('--clock-shift must be a number of milliseconds.')
    return {
      port,
      clockShiftMs,
      ...(values.file !== undefined && { file: values.file }),
      ...(values.groups !== undefined && { groupsPerChannel: count('groups', values.groups) }),
      ...(values['group-size'] !== undefined && {
        participantsPerGroup: count('group-size', values['group-size']),
      }),
    }
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}.`)
  }
}

function count(name: string, text: string): number {
  const value = Number(text)
  // The index of a group has six digits in its id, and a channel knows 4,099 people.
  if (!Number.isInteger(value) || value < 2 || value > (name === 'groups' ? 999_998 : 4000))
    fail(`--${name} is out of range.`)
  return value
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
