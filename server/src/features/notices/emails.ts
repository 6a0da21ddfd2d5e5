import { isOfSignIn } from '@sendroom/contract/notice-kinds'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { type Mail, MailFailure, type MailServer, sendMail } from '../../platform/mail.ts'
import { emailOf } from './email-text.ts'
import {
  claimEmail,
  type DueEmail,
  type DueNotice,
  describeDue,
  findDueIds,
  findFormerEmail,
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

async function sendOne(deps: Deps, { userId, tries }: DueEmail) {
  const { db, config } = deps
  const ids = await findDueIds(db, userId)
  const notices = await describeDue(db, userId, ids)
  const { mail } = config
  const isSent = mail !== null && notices.length > 0
  if (isSent) await sendAny(deps, mail, await emailsOf(deps, userId, notices), tries)
  await db.begin((tx) => finishEmail(tx, userId, ids, isSent))
}

/** The email to the user. What concerns the sign-in goes to the address of before as well. */
async function emailsOf({ db, config }: Deps, userId: number, notices: DueNotice[]): Promise<Mail[]> {
  const to = await findRecipient(db, userId)
  const ofSignIn = notices.filter(({ kind }) => isOfSignIn(kind))
  const former = ofSignIn.length > 0 ? await findFormerEmail(db, userId) : undefined
  return [
    emailOf(to, notices, config.publicUrl),
    ...(former && former.email !== to.email
      ? [emailOf({ ...to, ...former }, ofSignIn, config.publicUrl)]
      : []),
  ]
}

/** Mail servers that put strangers off take an email within minutes. */
const TRIES_FOR_EACH = 3

/**
 * Sends these emails. One of them has to arrive: a wrong address is corrected, and a thief may enter one. A server that
 * asks to come back later is asked again, since the other address may be the thief's.
 */
async function sendAny({ log }: Deps, server: MailServer, mails: Mail[], tries: number): Promise<void> {
  const sent = await Promise.allSettled(mails.map((mail) => sendMail(server, mail)))
  const failures = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const later = failures.find((failure) => failure instanceof MailFailure && failure.isTemporary)
  if (later && tries <= TRIES_FOR_EACH) throw later
  if (failures.length === mails.length) throw failures[0]
  for (const { message: why } of failures) log.warn({ why }, 'Could not send one of two emails to a user')
}
