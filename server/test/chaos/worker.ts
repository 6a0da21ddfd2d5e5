/** A worker process with the shipped engine (or a mutant of it) and the real adapter. */

import type { DatabaseAddress } from '../../src/database-url.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { createWhapi } from '../../src/providers/whapi.ts'
import { fileOf } from '../one-byte-file.ts'
import { bytesOf } from './contents.ts'
import { applyMutant, expectMutantApplied, type Mutant } from './mutants.ts'

export type WorkerOptions = {
  name: string
  database: DatabaseAddress
  providerUrl: string
  secretKey: string
  accountWaitMs: number
  mutant?: Mutant
}

/** The simulator accepts this as a PNG. */
const png = Buffer.from('89504e470d0a1a0a', 'hex')

const options: WorkerOptions = JSON.parse(process.env.WORKER ?? '')
if (options.mutant) applyMutant(options.mutant)
const { startWorker } = await import('../worker.ts')
if (options.mutant) expectMutantApplied(options.mutant)

const log = (level: string) => (details: object, sentence: string) => {
  const error = 'err' in details && details.err instanceof Error ? details.err.stack : ''
  process.stderr.write(`${level} ${sentence} ${error}\n`)
}
const whapi = createWhapi({ baseUrl: options.providerUrl })
const db = connect(options.database, { max: 5, applicationName: options.name })
const deps = {
  db,
  providers: { live: whapi, test: whapi },
  secrets: secretsOf(options.secretKey),
  openMedia: async (name: string) => fileOf(name.startsWith('chaos-') ? bytesOf(name) : png),
  log: { info: log('info'), warn: log('warn'), error: log('ERROR') },
}
const worker = startWorker(deps, options)
process.once('SIGTERM', async () => {
  await worker.stop()
  await whapi.close()
  await db.end(1000)
  process.exit(0)
})

// WorkerPool sends SIGTERM only after this line, so the handler must be in place before.
process.stdout.write('The worker runs\n')
