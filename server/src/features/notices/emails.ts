import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { MailFailure, sendMail } from '../../platform/mail.ts'
import { emailOf } from './email-text.ts'
import {
  claimEmail,
  type DueEmail,
  describeDue,
  findDueIds,
  findRecipient,
  finishEmail,
} from './notices.queries.ts'

export type Deps = {
  db: Pool
  config: Pick<Config, 'mail' | 'publicUrl'>
  log: { warn: (details: object, sentence: string) => void }
}

/**
 * Sends all emails that are due. One that fails is tried again for a day, and the notices that come meanwhile join
 * it. They also wait for five minutes after an email, because a Member can make a job fail every few seconds. A
 * process that dies after sending repeats its email.
 */
export async function sendDueEmails(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await claimEmail(deps.db)
    if (!due) return
    try {
      await sendOne(deps, due)
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error
      deps.log.warn({ userId: due.userId, tries: due.tries, why: error.message }, 'Could not send an email')
      // Other emails would fail as well.
      if (error.kind !== 'message') return
    }
  }
}

async function sendOne({ db, config }: Deps, { userId }: DueEmail) {
  const ids = await findDueIds(db, userId)
  const notices = await describeDue(db, userId, ids)
  const { mail } = config
  const isSent = mail !== null && notices.length > 0
  if (isSent) await sendMail(mail, emailOf(await findRecipient(db, userId), notices, config.publicUrl))
  await db.begin((tx) => finishEmail(tx, userId, ids, isSent))
}
