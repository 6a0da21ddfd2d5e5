import { newSecret } from '../../src/features/session/codes.ts'
import { tokenHashOf } from '../../src/features/session/open-session.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { codeAt } from '../totp.ts'
import { context } from './fixture.ts'

type User = { id: number } | null

const secrets = new Map<number, string>()

/** The present code of a user who has got a second factor here, or else undefined. */
export function codeOf({ id }: { id: number }): string | undefined {
  const secret = secrets.get(id)
  return secret && codeAt(secret, Date.now())
}

/** Gives the user a second factor. Returns its present code. */
export async function addFactor(user: User) {
  const secret = await setSecret(user, sql`secret_cipher`)
  if (user) secrets.set(user.id, secret)
  return codeAt(secret, Date.now())
}

/** Begins the set-up of a second factor. Returns the code that finishes it. */
export const beginFactor = async (user: User) => codeAt(await setSecret(user, sql`next_cipher`), Date.now())

async function setSecret(user: User, column: ReturnType<typeof sql>) {
  const secret = newSecret()
  if (user)
    await context.db.run(sql`
      insert into factors (user_id, ${column}) values (${user.id}, ${context.secrets.encrypt(secret)})
      on conflict (user_id) do update set ${column} = excluded.${column}`)
  return secret
}

/** Somebody has entered the user's password. Returns the ticket. */
export async function addTicket({ id }: { id: number }): Promise<string> {
  const ticket = `ticket-${id}`
  await context.db.run(sql`
    insert into sign_in_tickets (ticket_hash, user_id, expires_at)
    values (${tokenHashOf(ticket)}, ${id}, clock_now() + interval '5 minutes')
    on conflict do nothing`)
  return ticket
}
