import { parseArgs } from 'node:util'
import { startSimulator } from './index.ts'

const { port, file } = readOptions()
const simulator = await startSimulator({ port, file }).catch((error: Error) =>
  fail(`The simulator cannot start: ${error.message}.`),
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.close().then(() => process.exit(0)))
}
console.log(`Simulator listening on ${simulator.url}`)

function readOptions(): { port: number; file: string | undefined } {
  try {
    const { values } = parseArgs({ options: { port: { type: 'string' }, file: { type: 'string' } } })
    const port = Number(values.port ?? 4010)
    if (!Number.isInteger(port) || port < 0 || port > 65_535) fail('--port must be a number from 0 to 65535.')
    return { port, file: values.file }
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}.`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
