import type { FindingCode } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import { MailFailure, tryMailServer } from '../../platform/mail.ts'
import { clock } from './check-database.ts'
import { type Examined, finding, reasonOf } from './finding.ts'
import { hasLiveInstance } from './system.queries.ts'
import { within } from './within.ts'

const ANSWER_MS = 5_000

/** The provider, and its clock. */
export async function checkProvider({ config, db, provider }: Examined): Promise<Finding[]> {
  const { host } = new URL(config.whapiBaseUrl)
  try {
    const { tookMs, clockAheadMs } = await provider.probe()
    return [finding('provider_ok', { host, milliseconds: tookMs }), ...clock('Whapi', clockAheadMs)]
  } catch {
    return [finding((await isNeeded(db)) ? 'provider_away' : 'provider_unneeded', { host })]
  }
}

/** Whether an active account sends through the provider. Whoever tries Sendroom with test accounts may be offline. */
const isNeeded = async (db: Examined['db']) => typeof db === 'string' || hasLiveInstance(db).catch(() => true)

/** Whether Sendroom answers at PUBLIC_URL, as seen from this machine. */
export async function checkPublicAddress({ config: { publicUrl } }: Examined): Promise<Finding[]> {
  if (!publicUrl) return [finding('public_missing')]
  const { host } = new URL(publicUrl)
  try {
    const answer = await fetch(`${publicUrl}/api/health`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'manual',
    })
    const body: unknown = answer.ok ? await answer.json() : null
    const isOurs = JSON.stringify(body) === '{"status":"ok"}'
    return [
      isOurs
        ? finding('public_ok', { host })
        : finding('public_away', { host, reason: `HTTP ${answer.status}` }),
    ]
  } catch (error) {
    return [finding('public_away', { host, reason: reasonOf(error) })]
  }
}

/** Whether the mail server takes emails from this machine. None is sent. */
export async function checkMail({ config: { mail } }: Examined): Promise<Finding[]> {
  if (!mail) return [finding('mail_off')]
  const host = new URL(mail.url).hostname
  try {
    await within(ANSWER_MS, tryMailServer(mail, ANSWER_MS))
    return [finding('mail_ok', { host })]
  } catch (error) {
    const code = error instanceof MailFailure ? codeOf(error) : 'mail_away'
    return [finding(code, { host, reason: reasonOf(error) })]
  }
}

function codeOf({ kind }: MailFailure): FindingCode {
  if (kind === 'encryption') return 'mail_insecure'
  return kind === 'sign_in' ? 'mail_refused' : 'mail_away'
}
