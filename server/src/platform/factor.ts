import { identifier, sql } from './database/sql.ts'

/** SQL expression: the user, given by alias, has a second factor. */
export const hasFactor = (user: string) => sql`exists (
  select from factors f where f.user_id = ${identifier(user)}.id and f.secret_cipher is not null)`

/** SQL condition: the rule `r` asks this user, given by alias, for a second factor. */
export const isRequiredOf = (user: string) =>
  sql`(r.required_of = 'all' or (r.required_of = 'admins' and ${identifier(user)}.role = 'Admin'))`

/** SQL expression: the user has to set up a second factor before anything else. */
export const needsFactor = (user: string) => sql`(not ${hasFactor(user)} and exists (
  select from factor_rule r where ${isRequiredOf(user)} and coalesce(r.since, 'epoch') <= clock_now()))`
