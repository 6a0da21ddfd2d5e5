import { fill } from '@sendroom/contract/errors'
import { findingWords, hasRemedy, levelOf, remedyWords } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import { pino } from 'pino'
import { type Config, loadConfig } from '../config.ts'
import { examine } from '../features/system/examine.ts'
import { openToExamine } from '../open-database.ts'
import { repairCounts } from '../platform/count-repair.ts'
import { findCountDifferences } from '../platform/counts.ts'
import type { Db, Pool } from '../platform/database/connection.ts'
import { forBulkWrites } from '../platform/database/session-defaults.ts'
import { openProviders } from '../providers/providers.ts'
import { StartupError } from '../startup-error.ts'
import { type Command, EXIT } from './command-line.ts'

/** The differences that `doctor` names. */
const EXAMPLES = 5

export const doctorCommand: Command = {
  usage: 'doctor [--repair]',
  help: `Examines the installation, also while Sendroom runs, and names a remedy for each trouble. Run the command as the
user that Sendroom runs as, in the same folder and with the same variables. Ends with 1 if there is an error.

  --repair   corrects numbers that differ from the rows that they count`,
  options: { repair: { type: 'boolean' } },
  async run({ options, output }) {
    const findings = await examineHere(loadConfig(), options.repair === true)
    const described = findings.map(describe)
    output.result({ findings: described }, ...described.map(lineOf))
    return described.some(({ level }) => level === 'error') ? EXIT.failed : EXIT.done
  },
}

async function examineHere(config: Config, withRepair: boolean): Promise<Finding[]> {
  const log = pino({ level: 'silent' })
  const providers = await openProviders({ ...config, withTestMode: false })
  const database = await openToExamine(config, log).catch((error) => {
    if (error instanceof StartupError) return error.message
    throw error
  })
  const db = typeof database === 'string' ? database : database.db
  try {
    const findings = await examine({ config, db, provider: providers.live })
    const isOurs = findings.some(({ code }) => code === 'version')
    return isOurs && typeof db !== 'string' ? [...findings, await checkCounts(db, withRepair)] : findings
  } finally {
    if (typeof database !== 'string') await database.close()
    await providers.close()
  }
}

/** Reads all rows, so the System page does not do this. */
async function checkCounts(db: Pool, withRepair: boolean): Promise<Finding> {
  const found = withRepair ? await repairCounts(db) : await db.begin(findAll)
  if (found.length === 0) return { code: 'counts_ok', params: {} }
  const examples = found.slice(0, EXAMPLES).map(({ owner, counter, n }) => `${owner} ${counter} ${-n}`)
  const params = { count: found.length, examples: examples.join(', ') }
  return withRepair
    ? { code: 'counts_repaired', params }
    : { code: 'counts_wrong', params: { ...params, command: 'npm start -- doctor --repair' } }
}

async function findAll(tx: Db) {
  await forBulkWrites(tx)
  return findCountDifferences(tx)
}

type Described = Finding & { level: string; sentence: string; remedy: string | null }

const describe = ({ code, params }: Finding): Described => ({
  code,
  params,
  level: levelOf(code),
  sentence: fill(findingWords[code], params),
  remedy: hasRemedy(code) ? fill(remedyWords[code], params) : null,
})

const labels: Record<string, string> = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' }

const lineOf = ({ level, sentence, remedy }: Described) =>
  `${labels[level]}  ${sentence}${remedy ? `\n         ${remedy}` : ''}`
