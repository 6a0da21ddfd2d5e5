import type { DatabaseAddress } from '../src/database-url.ts'

/** The DATABASE_URL of an embedded PostgreSQL, which listens on a socket only. */
export const urlOf = ({ user, host, port, database }: DatabaseAddress) =>
  `postgres://${user}@${encodeURIComponent(host)}:${port}/${database}`
