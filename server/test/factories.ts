import { randomBytes } from 'node:crypto'
import type { JobStatus } from '@sendroom/contract/job-life'
import type { Role } from '@sendroom/contract/users'
import { tokenHashOf } from '../src/features/session/session.service.ts'
import type { Pool } from '../src/platform/database/connection.ts'
import { sql, values } from '../src/platform/database/sql.ts'
import type { Secrets } from '../src/platform/secrets.ts'

export type TestUser = { id: number; username: string; token: string }

/** Unique within a run; tests name only what they are about. */
const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`

/** Each makes a row and the parents it needs, straight in the database. */
export function factories(db: Pool, secrets: Secrets) {
  async function user(
    given: {
      role?: Role
      username?: string
      email?: string
      isActive?: boolean
      canSendMessages?: boolean
      canCreateJobs?: boolean
      /** Instances assigned to the user. */
      instances?: { id: number }[]
    } = {},
  ): Promise<TestUser> {
    const username = given.username ?? unique('user')
    const row = {
      username,
      email: given.email ?? `${username}@example.com`,
      passwordHash: 'none: signed in by the factory',
      role: given.role ?? 'Member',
      isActive: given.isActive ?? true,
      canSendMessages: given.canSendMessages ?? true,
      canCreateJobs: given.canCreateJobs ?? true,
    }
    const { id } = await db.one<{ id: number }>(sql`insert into users ${values(row)} returning id`)
    for (const { id: instanceId } of given.instances ?? [])
      await db.run(sql`insert into user_instances ${values({ userId: id, instanceId })}`)
    const token = randomBytes(16).toString('base64url')
    await db.run(sql`
      insert into sessions (token_hash, user_id, expires_at)
      values (${tokenHashOf(token)}, ${id}, clock_now() + interval '10 years')`)
    return { id, username, token }
  }

  const admin = (given: Parameters<typeof user>[0] = {}) => user({ ...given, role: 'Admin' })

  /** Connected, active, without pauses and caps. */
  async function instance(given: Record<string, unknown> & { token?: string } = {}) {
    const { token = unique('test_linked'), ...columns } = given
    const row = {
      name: unique('Account'),
      tokenCipher: secrets.encrypt(token),
      tokenHash: secrets.hash(token),
      isTest: token.startsWith('test_'),
      status: 'Connected',
      groupPauseFromMs: 0,
      groupPauseToMs: 0,
      privatePauseFromMs: 0,
      privatePauseToMs: 0,
      privateCap: 0,
      ...columns,
    }
    const made = await db.one<{ id: number; name: string }>(
      sql`insert into instances ${values(row)} returning id, name`,
    )
    return { ...made, token }
  }

  async function group(given: Record<string, unknown> & { instanceId?: number } = {}) {
    const row = {
      instanceId: given.instanceId ?? (await instance()).id,
      chatId: `1203630${Math.random().toString().slice(2, 13)}@g.us`,
      name: unique('Group'),
      ...given,
    }
    const made = await db.one<{ id: number; name: string; chatId: string; instanceId: number }>(sql`
      insert into groups ${values(row)} returning id, name, chat_id, instance_id`)
    return made
  }

  async function message(given: Record<string, unknown> = {}) {
    const row = { textContent: unique('Hello'), createdByUserName: 'somebody', ...given }
    const made = await db.one<{ id: number; textContent: string }>(sql`
      insert into messages ${values(row)} returning id, text_content`)
    return made
  }

  /** A job with one delivery for each recipient (chat ids; three groups unless said otherwise). */
  async function job(
    given: Record<string, unknown> & {
      instanceId?: number
      status?: JobStatus
      recipients?: string[]
      deliveryStatus?: string
    } = {},
  ) {
    const { recipients = ['1@g.us', '2@g.us', '3@g.us'], deliveryStatus = 'queued', ...columns } = given
    const row = {
      jobType: recipients[0]?.endsWith('@g.us') ? 'SendToGroups' : 'SendToUsers',
      textContent: unique('Hello'),
      instanceId: given.instanceId ?? (await instance()).id,
      recipientCount: recipients.length,
      createdByUserName: 'somebody',
      ...columns,
    }
    const made = await db.one<{ id: number; instanceId: number }>(sql`
      insert into jobs ${values(row)} returning id, instance_id`)
    for (const chatId of recipients)
      await db.run(sql`
        insert into deliveries ${values({ jobId: made.id, instanceId: made.instanceId, chatId, recipientName: chatId, status: deliveryStatus })}`)
    return made
  }

  return { user, admin, instance, group, message, job }
}
