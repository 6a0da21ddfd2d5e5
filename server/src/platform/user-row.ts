import type { User } from '@sendroom/contract/users'
import type { Db } from './database/connection.ts'
import { isUniqueViolation } from './database/errors.ts'
import { identifier, sql } from './database/sql.ts'
import { hasFactor, needsFactor } from './factor.ts'
import { Refusal } from './refusal.ts'

/** The columns of a user as the contract shows one, with the names of the assigned instances. */
export function userColumns(alias: string) {
  const u = identifier(alias)
  return sql`
  ${u}.id, ${u}.username, ${u}.email, ${u}.role, ${u}.is_active, ${u}.is_waiting, ${u}.can_send_messages, ${u}.can_create_jobs,
    ${u}.can_link_accounts, ${u}.can_export_participants, ${u}.can_use_contacts, ${u}.can_manage_contacts,
    ${u}.can_approve_jobs, ${u}.can_mention_all, ${u}.created_at, ${u}.version,
    ${hasFactor(alias)} as has_factor, ${needsFactor(alias)} as needs_factor,
    (
      select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'name', i.name) order by i.name, i.id), '[]')
      from user_instances ui join instances i on i.id = ui.instance_id
      where ui.user_id = ${u}.id
    ) as assigned_instances`
}

export async function findUser(db: Db, id: number): Promise<User | null> {
  const user = await db.maybeOne<User>(sql`select ${userColumns('u')} from users u where u.id = ${id}`)
  return user ?? null
}

/** SQL condition: the user's password is the one generated at the first start. Any other password has another hash. */
export const hasGeneratedPassword = sql`(users.generated_hash is not null and users.generated_hash = users.password_hash)`

/** For `.catch`: turns a violation of a unique name into its refusal. */
export function refuseTakenName(error: unknown): never {
  if (isUniqueViolation(error, 'users_username')) throw new Refusal('username_taken')
  if (isUniqueViolation(error, 'users_email')) throw new Refusal('email_taken')
  throw error
}
