import { type Applied, sha256 } from './migration-files.ts'

/*
 * Programs before 0033 had thirty-one migrations, 0001 to 0032, which 0033-schema.sql replaces. What they have left is
 * taken over as it is: a database where they are all applied, and its backups.
 */

const COUNT = 31
export const LAST_FORMER = '0032-deliveries-reason.sql'
/** SHA-256 of the checksums, separated by line feeds. `0018-job-counts.sql` changed once, without another result. */
const CHECKSUMS = [
  '0bac95cf0f63ae5c14afa6a121ea8f6b1f30d83b65c868b6e003b695d8a79375',
  'c55486ffde926520dcf4dc24f1ae9eba5dff130bb744711e5e9ec9056f991b46',
]

/** Tables that 0033-schema.sql does not have. Programs of 0032 still delete from the first one. */
export const FORMER_TABLES = ['delivery_viewers', 'sent_counts']

/** Returns whether all former migrations are among the applied ones, in their order, and the others. */
export function separateFormer<T extends Pick<Applied, 'checksum'>>(
  applied: T[],
): { hasFormer: boolean; own: T[] } {
  const former = applied.slice(0, COUNT).map(({ checksum }) => checksum)
  const hasFormer = CHECKSUMS.includes(sha256(former.join('\n')))
  return { hasFormer, own: hasFormer ? applied.slice(COUNT) : applied }
}
