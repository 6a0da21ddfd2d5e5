/** A worker process of the chaos suite: the engine as it is (or broken on purpose), on the real adapter. */

import type { DatabaseAddress } from '../../src/database-url.ts'
import { connect } from '../../src/platform/database/connection.ts'
import { secretsOf } from '../../src/platform/secrets.ts'
import { createWhapi } from '../../src/providers/whapi.ts'
import { type Breakage, breakEngine, expectBroken } from './breakages.ts'
import { SECRET_KEY } from './secret-key.ts'

export type WorkerOptions = {
  name: string
  database: DatabaseAddress
  providerUrl: string
  accountWaitMs: number
  breakage?: Breakage
}

/** What the simulator takes for a PNG. */
const png = Buffer.from('89504e470d0a1a0a', 'hex')

const options: WorkerOptions = JSON.parse(process.env.WORKER ?? '')
if (options.breakage) breakEngine(options.breakage)
const { startEngine } = await import('../../src/engine/index.ts')
if (options.breakage) expectBroken(options.breakage)

const tell = (level: string) => (details: object, sentence: string) => {
  const error = 'err' in details && details.err instanceof Error ? details.err.stack : ''
  process.stderr.write(`${level} ${sentence} ${error}\n`)
}
const whapi = createWhapi({ baseUrl: options.providerUrl })
const db = connect(options.database, { max: 5, applicationName: options.name })
const engine = startEngine({
  db,
  providers: { live: whapi, test: whapi },
  secrets: secretsOf(SECRET_KEY),
  readImage: async () => ({ bytes: png, mimeType: 'image/png' }),
  log: { info: tell('info'), warn: tell('warn'), error: tell('ERROR') },
  accountWaitMs: options.accountWaitMs,
})
process.once('SIGTERM', async () => {
  await engine.stop()
  await whapi.close()
  await db.end(1000)
  process.exit(0)
})

// Last: from now on it may be asked to stop.
process.stdout.write('The worker runs\n')
