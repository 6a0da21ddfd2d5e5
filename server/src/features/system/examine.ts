import type { FindingCode } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import { checkDatabase, checkEncryption, checkHosts } from './check-database.ts'
import { checkDisk } from './check-disk.ts'
import { checkMail, checkProvider, checkPublicAddress } from './check-network.ts'
import { checkWork } from './check-work.ts'
import { type Examined, finding, reasonOf } from './finding.ts'
import { within } from './within.ts'

const CHECK_MS = 8_000

const checks: Record<string, (examined: Examined) => Promise<Finding[]>> = {
  database: checkDatabase,
  encryption: checkEncryption,
  work: checkWork,
  disk: checkDisk,
  provider: checkProvider,
  public: checkPublicAddress,
  hosts: checkHosts,
  mail: checkMail,
}

/** Makes all checks at once, each with a time limit. Never rejects. */
export async function examine(examined: Examined): Promise<Finding[]> {
  const results = await Promise.all(
    Object.entries(checks).map(([check, run]) =>
      within(CHECK_MS, run(examined)).catch((error) => [
        finding('check_failed', { check, reason: reasonOf(error) }),
      ]),
    ),
  )
  const findings = results.flat()
  const has = (wanted: FindingCode) => findings.some(({ code }) => code === wanted)
  const knowsClocks = has('version') && has('provider_ok')
  return knowsClocks && !has('clock_off') ? [...findings, finding('clock_ok')] : findings
}
