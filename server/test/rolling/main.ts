/** npm run rolling -- [--recipients N]: replaces all processes while jobs run. Exits with 1 if something was wrong. */
import { parseArgs } from 'node:util'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { Installation } from '../process.ts'
import { replaceAll } from './replace-all.ts'

const { values } = parseArgs({ options: { recipients: { type: 'string', default: '5000' } } })
// Without a handler, these signals would skip the exit tasks, which remove the processes and folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const print = (text: string) => process.stdout.write(`${text}\n`)

await using home = await Installation.create()
const cluster = await startCluster(home.dataDir, console)
const { violations, figures } = await replaceAll(cluster.superuser, Number(values.recipients))
await cluster.stop()
print(JSON.stringify(figures))
print(violations.length === 0 ? 'No violation.' : violations.join('\n'))
process.exitCode = violations.length === 0 ? 0 : 1
