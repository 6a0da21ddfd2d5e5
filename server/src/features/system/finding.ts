import type { statfs } from 'node:fs/promises'
import type { FindingCode } from '@sendroom/contract/findings'
import type { Finding } from '@sendroom/contract/system'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { Provider } from '../../providers/provider.ts'

/** The installation to examine. */
export type Examined = {
  config: Config
  /** A sentence instead if the database could not be opened. */
  db: Pool | string
  provider: Pick<Provider, 'probe'>
  /** Another one in tests. */
  statfs?: typeof statfs
}

/** A line of the result. The params hold no secrets: no URL, token or password. */
export const finding = (code: FindingCode, params: Finding['params'] = {}): Finding => ({ code, params })

/**
 * The words of an error that a person may read. A network error's own words may repeat a URL, so its code is enough.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  return code ?? error.message
}
