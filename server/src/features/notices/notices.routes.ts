import { contract } from '@sendroom/contract'
import { adminKinds, chosenKinds, noticeChannels } from '@sendroom/contract/notice-kinds'
import type { NoticeSettings } from '@sendroom/contract/notices'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { type Caller, isAdmin } from '../../platform/access.ts'
import { notifyChanges } from '../../platform/changes.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { MailFailure, sendMail } from '../../platform/mail.ts'
import { Refusal } from '../../platform/refusal.ts'
import { testEmail } from './email-text.ts'
import { findRecipient, listChoices, listNotices, markRead, saveChoice } from './notices.queries.ts'

type Deps = { db: Pool; config: Pick<Config, 'mail' | 'publicUrl'> }

const TEST_EMAILS = { max: 5, timeWindow: 10 * 60_000 }

export function noticeRoutes(app: FastifyInstance, { db, config }: Deps): void {
  const { notices } = contract
  const settings = (of: Db, caller: Caller) => readSettings(of, caller, config.mail !== null)

  route(app, notices.list, async ({ caller }) => ({ notices: [...(await listNotices(db, caller))] }))
  route(app, notices.read, ({ begin, body }) =>
    begin(async (tx, { id: userId }) => {
      // The user's other tabs and devices.
      if (await markRead(tx, userId, body.ids))
        await notifyChanges(tx, [{ feature: 'notices', id: null, instanceId: null, userId }])
    }),
  )
  route(app, notices.settings, ({ caller }) => settings(db, caller))
  route(app, notices.choose, ({ begin, body }) =>
    begin(async (tx, caller) => {
      for (const choice of body.choices) await saveChoice(tx, caller.id, choice)
      return settings(tx, caller)
    }),
  )
  route(
    app,
    notices.testEmail,
    async ({ begin }) => {
      const recipient = await begin((tx, { id }) => findRecipient(tx, id))
      if (!config.mail) throw new Refusal('mail_off')
      const mail = testEmail(recipient, config.publicUrl)
      await sendMail(config.mail, mail).catch((error) => {
        if (error instanceof MailFailure)
          throw new Refusal('mail_failed', { reason: error.message }, null, error)
        throw error
      })
    },
    { rateLimit: TEST_EMAILS },
  )
}

/** The choices of the kinds that the caller can learn of. Without a choice, all channels are on. */
async function readSettings(db: Db, caller: Caller, hasMail: boolean): Promise<NoticeSettings> {
  const chosen = new Map((await listChoices(db, caller.id)).map(({ kind, channels }) => [kind, channels]))
  const kinds = chosenKinds.filter((kind) => isAdmin(caller) || !adminKinds.includes(kind))
  return {
    choices: kinds.map((kind) => ({ kind, channels: chosen.get(kind) ?? [...noticeChannels] })),
    email: hasMail ? (await findRecipient(db, caller.id)).email : null,
  }
}
