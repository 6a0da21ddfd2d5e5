import { identifier, sql } from './database/sql.ts'

/** Condition: the row of `groups` or `deliveries` is of a channel. As `isChannel` in the contract. */
export const isChannelRow = (alias: 'g' | 'd') => sql`(${identifier(`${alias}.chat_id`)} like '%@newsletter')`
