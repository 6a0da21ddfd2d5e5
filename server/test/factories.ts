import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import type { JobStatus } from '@sendroom/contract/job-life'
import type { RightField } from '@sendroom/contract/rights'
import type { SeriesPeople } from '@sendroom/contract/series'
import type { SeriesRule } from '@sendroom/contract/series-rule'
import type { Role } from '@sendroom/contract/users'
import { tokenHashOf } from '../src/features/session/open-session.ts'
import type { Pool } from '../src/platform/database/connection.ts'
import { sql, values } from '../src/platform/database/sql.ts'
import type { Secrets } from '../src/platform/secrets.ts'

import { addApiKey } from './api-key.ts'

export type TestUser = { id: number; username: string; token: string }

/** As `hashPassword`, but takes a hundredth of the time, and so does each check of the password. */
export const cheapHash = (password: string) => hash(password, { memoryCost: 8, timeCost: 1 })

const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`

const weeklyRule: SeriesRule = {
  frequency: 'week',
  every: 1,
  weekdays: [1],
  times: ['09:00'],
  startsOn: '2026-01-01',
  endsOn: null,
  runLimit: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}

const nobody: SeriesPeople = {
  groupIds: [],
  phoneNumbers: '',
  contactIds: [],
  fallbacks: {},
  leaveOutIncomplete: false,
}

/**
 * Each factory inserts a row and the parents that it needs. Columns that a test does not name get unique or harmless
 * values.
 */
export function factories(db: Pool, secrets: Secrets) {
  /** A user with a session. */
  async function user(
    options: {
      role?: Role
      username?: string
      email?: string
      isActive?: boolean
      /** Without one, the user can't sign in. */
      password?: string
      /** The instances that are assigned to the user. */
      instances?: { id: number }[]
    } & Partial<Record<RightField, boolean>> = {},
  ): Promise<TestUser> {
    const username = options.username ?? unique('user')
    const row = {
      username,
      email: options.email ?? `${username}@example.com`,
      passwordHash: options.password ? await cheapHash(options.password) : 'none',
      role: options.role ?? 'Member',
      isActive: options.isActive ?? true,
      canSendMessages: options.canSendMessages ?? true,
      canCreateJobs: options.canCreateJobs ?? true,
      canLinkAccounts: options.canLinkAccounts ?? true,
      canExportParticipants: options.canExportParticipants ?? true,
      canUseContacts: options.canUseContacts ?? false,
      canManageContacts: options.canManageContacts ?? false,
      canApproveJobs: options.canApproveJobs ?? false,
      canMentionAll: options.canMentionAll ?? false,
    }
    const { id } = await db.one<{ id: number }>(sql`insert into users ${values(row)} returning id`)
    for (const { id: instanceId } of options.instances ?? [])
      await db.run(sql`insert into user_instances ${values({ userId: id, instanceId })}`)
    return session({ id, username })
  }

  /** Another session of a user. */
  async function session({ id, username }: Omit<TestUser, 'token'>): Promise<TestUser> {
    const token = randomBytes(16).toString('base64url')
    await db.run(sql`
      insert into sessions (token_hash, user_id, expires_at)
      values (${tokenHashOf(token)}, ${id}, clock_now() + interval '10 years')`)
    return { id, username, token }
  }

  const admin = (options: Parameters<typeof user>[0] = {}) => user({ ...options, role: 'Admin' })

  /** An active, connected instance without pauses and caps. */
  async function instance(options: Record<string, unknown> & { token?: string } = {}) {
    const { token = unique('test_linked'), ...columns } = options
    const row = {
      name: unique('Instance'),
      tokenCipher: secrets.encrypt(token),
      tokenHash: secrets.hash(token),
      isTest: token.startsWith('test_'),
      status: 'Connected',
      groupPauseFromMs: 0,
      groupPauseToMs: 0,
      privatePauseFromMs: 0,
      privatePauseToMs: 0,
      privateCap: 0,
      privateSlowAfter: 0,
      privatePerQuarter: 0,
      privateHours: 0,
      privateDays: 0,
      personCap: 0,
      newPeopleCap: 0,
      // Nothing has to be read before the instance writes to people.
      incomingReadUntil: '2100-01-01T00:00:00Z',
      incomingUntil: '2100-01-01T00:00:00Z',
      ...columns,
    }
    const inserted = await db.one<{ id: number; name: string }>(
      sql`insert into instances ${values(row)} returning id, name`,
    )
    return { ...inserted, token }
  }

  /** A Member with an instance. */
  async function memberWithInstance(columns: Parameters<typeof instance>[0] = {}) {
    const own = await instance(columns)
    return { instance: own, instanceId: own.id, member: await user({ instances: [own] }) }
  }

  async function group(columns: Record<string, unknown> & { instanceId?: number } = {}) {
    const row = {
      instanceId: columns.instanceId ?? (await instance()).id,
      chatId: `1203630${Math.random().toString().slice(2, 13)}@g.us`,
      name: unique('Group'),
      ...columns,
    }
    return await db.one<{ id: number; name: string; chatId: string; instanceId: number }>(sql`
      insert into groups ${values(row)} returning id, name, chat_id, instance_id`)
  }

  /** A contact with a number of its own. */
  async function contact(columns: Record<string, unknown> & { number?: string } = {}) {
    const { number = `849${Math.random().toString().slice(2, 10)}`, ...row } = columns
    return await db.one<{ id: number; number: string }>(sql`
      with made as (
        insert into contacts ${values({ name: unique('Contact'), numbers: number, source: 'form', sourceName: 'somebody', ...row })}
        returning id
      )
      insert into contact_identities (contact_id, kind, value, is_primary) select id, 'phone', ${number}, true from made
      returning contact_id as id, value as number`)
  }

  async function contactField(columns: Record<string, unknown> = {}) {
    const row = { key: `f${randomBytes(5).toString('hex')}`, name: 'City', type: 'text', ...columns }
    return await db.one<{ id: number; key: string }>(
      sql`insert into contact_fields ${values(row)} returning id, key`,
    )
  }

  /** A fixed list, or a filter if there is one. */
  async function list(
    options: Record<string, unknown> & {
      filter?: object
      contacts?: { id: number }[]
      users?: { id: number }[]
    } = {},
  ) {
    const { filter, contacts = [], users = [], ...columns } = options
    const row = {
      name: unique('List'),
      kind: filter ? 'filter' : 'fixed',
      filter: filter ? JSON.stringify({ search: '', tagIds: [], fields: [], ...filter }) : null,
      createdByUserName: 'somebody',
      ...columns,
    }
    const inserted = await db.one<{ id: number; name: string }>(sql`
      insert into lists ${values(row)} returning id, name`)
    for (const { id } of contacts) await db.run(sql`insert into list_contacts values (${inserted.id}, ${id})`)
    for (const { id } of users) await db.run(sql`insert into list_users values (${inserted.id}, ${id})`)
    return inserted
  }

  /** A set of groups. */
  async function groupSet(
    options: Record<string, unknown> & { instanceId?: number; groups?: { id: number }[] } = {},
  ) {
    const { groups = [], ...columns } = options
    const row = {
      instanceId: options.instanceId ?? (await instance()).id,
      name: unique('Set'),
      createdByUserName: 'somebody',
      ...columns,
    }
    const inserted = await db.one<{ id: number; name: string; instanceId: number }>(sql`
      insert into group_sets ${values(row)} returning id, name, instance_id`)
    for (const { id } of groups)
      await db.run(sql`insert into group_set_groups values (${inserted.id}, ${id})`)
    return inserted
  }

  /** An uploaded file that nobody has stored. A video can be a document as well, and so can all others. */
  async function file(
    kind: 'video' | 'document' | 'audio' | 'voice' = 'video',
    columns: Record<string, unknown> = {},
  ) {
    const row = {
      name: `${randomBytes(16).toString('hex')}.bin`,
      mimeType: 'application/octet-stream',
      size: 1000,
      sha256: randomBytes(32),
      kinds: [...new Set([kind, 'document'])],
      ...columns,
    }
    const { id } = await db.one<{ id: number }>(sql`insert into files ${values(row)} returning id`)
    return { id, ...row }
  }

  async function message(columns: Record<string, unknown> = {}) {
    const row = { textContent: unique('Hello'), createdByUserName: 'somebody', ...columns }
    return await db.one<{ id: number; textContent: string }>(sql`
      insert into messages ${values(row)} returning id, text_content`)
  }

  /** A weekly series to a group of its own, and its runs by the minutes until they are due. */
  async function series(
    options: Record<string, unknown> & {
      instanceId?: number
      messages?: { id: number }[]
      groups?: { id: number }[]
      runsInMinutes?: number[]
    } = {},
  ) {
    const { messages, groups, runsInMinutes = [60], ...columns } = options
    const instanceId = options.instanceId ?? (await instance()).id
    const groupIds = (groups ?? [await group({ instanceId })]).map(({ id }) => id)
    const row = {
      instanceId,
      name: unique('Series'),
      jobType: 'SendToGroups',
      rule: JSON.stringify(weeklyRule),
      quietPolicy: 'move',
      overlap: 'skip',
      recipients: JSON.stringify({ ...nobody, groupIds }),
      authorName: 'somebody',
      plannedUntil: new Date(Date.now() + 62 * 86_400_000).toISOString(),
      ...columns,
    }
    const { id } = await db.one<{ id: number }>(sql`insert into series ${values(row)} returning id`)
    for (const [position, { id: messageId }] of (messages ?? [await message({ instanceId })]).entries())
      await db.run(sql`insert into series_messages values (${id}, ${position}, ${messageId})`)
    const runs = []
    for (const [number, minutes] of runsInMinutes.entries())
      runs.push(
        await db.one<{ id: number; dueAt: string }>(sql`
          insert into series_runs (series_id, local_time, number, due_at)
          values (${id}, to_char(clock_now() at time zone 'Asia/Ho_Chi_Minh' + ${minutes} * interval '1 minute',
            'YYYY-MM-DD"T"HH24:MI'), ${number + 1}, clock_now() + ${minutes} * interval '1 minute')
          returning id, due_at`),
      )
    return { id, instanceId, groupIds, runs }
  }

  /** A job with a delivery for each recipient (a chat id). The default is three groups. */
  async function job(
    options: Record<string, unknown> & {
      instanceId?: number
      status?: JobStatus
      recipients?: string[]
      deliveryStatus?: string
      /** The own texts of the recipients, in their order. */
      texts?: string[]
    } = {},
  ) {
    const {
      recipients = ['1@g.us', '2@g.us', '3@g.us'],
      deliveryStatus = 'queued',
      texts,
      ...columns
    } = options
    const row = {
      jobType: recipients[0]?.endsWith('@g.us') ? 'SendToGroups' : 'SendToUsers',
      textContent: unique('Hello'),
      instanceId: options.instanceId ?? (await instance()).id,
      recipientCount: recipients.length,
      createdByUserName: 'somebody',
      isPersonal: texts !== undefined,
      ...columns,
    }
    const inserted = await db.one<{ id: number; instanceId: number }>(sql`
      insert into jobs ${values(row)} returning id, instance_id`)
    await db.run(sql`
      insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
      select ${inserted.id}, ${inserted.instanceId}, chat_id, chat_id, ${deliveryStatus}
      from unnest(${recipients}::text[]) with ordinality recipient (chat_id, place) order by place`)
    if (texts)
      await db.run(sql`
        insert into delivery_texts (delivery_id, text)
        select d.id, t.text
        from unnest(${texts}::text[]) with ordinality t (text, place)
          join (select id, row_number() over (order by id) as place from deliveries where job_id = ${inserted.id}) d
            using (place)`)
    return inserted
  }

  return {
    user,
    session,
    apiKey: addApiKey(db),
    admin,
    instance,
    memberWithInstance,
    group,
    contact,
    contactField,
    list,
    groupSet,
    series,
    file,
    message,
    job,
  }
}
