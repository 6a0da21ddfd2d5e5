import { fill } from '@sendroom/contract/errors'
import { findingWords, hasRemedy, levelOf, remedyWords } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import { pino } from 'pino'
import { type Config, loadConfig } from '../config.ts'
import { examine } from '../features/system/examine.ts'
import { openToExamine } from '../open-database.ts'
import { openProviders } from '../providers/providers.ts'
import { StartupError } from '../startup-error.ts'
import { type Command, EXIT } from './command-line.ts'

export const doctorCommand: Command = {
  usage: 'doctor',
  help: `Examines the installation, also while Sendroom runs, and names a remedy for each trouble. Run the command as the
user that Sendroom runs as, in the same folder and with the same variables. Ends with 1 if there is an error.`,
  options: {},
  async run({ output }) {
    const findings = await examineHere(loadConfig())
    const described = findings.map(describe)
    output.result({ findings: described }, ...described.map(lineOf))
    return described.some(({ level }) => level === 'error') ? EXIT.failed : EXIT.done
  },
}

async function examineHere(config: Config): Promise<Finding[]> {
  const log = pino({ level: 'silent' })
  const providers = await openProviders({ ...config, withTestMode: false })
  const database = await openToExamine(config, log).catch((error) => {
    if (error instanceof StartupError) return error.message
    throw error
  })
  const db = typeof database === 'string' ? database : database.db
  try {
    return await examine({ config, db, provider: providers.live })
  } finally {
    if (typeof database !== 'string') await database.close()
    await providers.close()
  }
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
