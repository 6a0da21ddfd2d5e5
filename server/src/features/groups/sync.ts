import { setTimeout as delay } from 'node:timers/promises'
import type { Reason } from '@sendroom/contract/values'
import type { Pool } from '../../platform/database/connection.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type Account,
  type Provider,
  ProviderFailure,
  type ProviderPage,
  type Providers,
  providerOf,
} from '../../providers/provider.ts'
import {
  beginSync,
  deleteForgotten,
  endSync,
  listDueSyncs,
  listMissing,
  markMissing,
  releaseSync,
  renewSync,
  type Sync,
  writeGroups,
} from './sync.queries.ts'

export type SyncParts = { db: Pool; secrets: Secrets; providers: Providers }

const GROUPS_A_PAGE = 100
const CONTACTS_A_PAGE = 500
/** A breath between two pages of a real account: without it the provider has been seen to refuse with 429. */
const PAGE_PAUSE_MS = 1000
/** How often and how long we wait for a busy provider; longer waits end the sync. */
const PATIENCE = 3
const WAIT_MS = 5000
const LONGEST_WAIT_MS = 60_000
/** How many missing groups are asked for by themselves, a call each. */
const ASK_MISSING = 10

/** The process stops: the sync is done again elsewhere. */
class Stopped extends Error {}
/** The account is no longer active, or another worker has taken the sync over. */
class Lost extends Error {}

/**
 * Reads the groups of an instance page by page and writes what has changed. Never two at once for one instance.
 *
 * A page that is read is written. Only a sync that came to the end of the list counts as whole, says which groups
 * are missing, and moves the time of the last sync; one that did not leaves its reason instead. Throws when it is
 * worth trying again soon.
 */
export async function syncGroups(parts: SyncParts, instanceId: number, signal: AbortSignal): Promise<void> {
  const sync = await beginSync(parts.db, instanceId)
  if (!sync) return
  const provider = providerOf(parts.providers, sync)
  if (!provider) return void (await releaseSync(parts.db, sync))
  const account = { token: parts.secrets.decrypt(sync.tokenCipher) }
  const reader: Reader = { ...parts, sync, provider, account, signal }
  try {
    const names = await readNames(reader)
    await readGroups(reader, names)
    await settleMissing(reader, names)
    await endSync(parts.db, sync, null)
  } catch (error) {
    if (!(error instanceof Lost)) await keepProblem(parts.db, sync, error)
  }
}

type Reader = { db: Pool; sync: Sync; provider: Provider; account: Account; signal: AbortSignal }

/** A provider that can't or won't is a problem to show; anything else is ours. */
async function keepProblem(db: Pool, sync: Sync, error: unknown): Promise<void> {
  if (!(error instanceof ProviderFailure)) {
    await releaseSync(db, sync).catch(() => {}) // it ends by itself in three minutes
    throw error
  }
  await endSync(db, sync, error)
  if (error.kind === 'busy' || error.kind === 'unreachable') throw error
}

/** Names are an extra: without them the groups are read all the same. */
async function readNames(reader: Reader): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const { provider, account } = reader
  try {
    await eachPage(
      reader,
      (offset) => provider.contacts(account, { offset, count: CONTACTS_A_PAGE }),
      async (contacts) => {
        for (const { personId, name } of contacts) names.set(personId, name)
      },
    )
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind === 'account') throw error
  }
  return names
}

async function readGroups(reader: Reader, names: ReadonlyMap<string, string>): Promise<void> {
  const { db, sync, provider, account } = reader
  await eachPage(
    reader,
    (offset) => provider.groups(account, { offset, count: GROUPS_A_PAGE }),
    (groups) => writeGroups(db, sync, groups, names),
  )
}

/** A list that ends before its own total was cut: throws, since what it lacks is not missing. */
async function eachPage<T>(
  reader: Reader,
  read: (offset: number) => Promise<ProviderPage<T>>,
  take: (rows: T[]) => Promise<void>,
): Promise<void> {
  for (let offset = 0, total = 1; offset < total; ) {
    const page = await patiently(reader, () => read(offset))
    if (page.next === offset && offset < page.total) throw new ProviderFailure('unreachable', cutShort)
    if (page.rows.length > 0) await take(page.rows)
    offset = page.next
    total = page.total
    if (offset < total && !reader.sync.isTest) await wait(PAGE_PAUSE_MS, reader.signal)
  }
}

const cutShort: Reason = { code: 'provider_unreadable', params: {} }

/** Groups the list lacks: a few are asked for by themselves, and those that answer are written. */
async function settleMissing(reader: Reader, names: ReadonlyMap<string, string>): Promise<void> {
  const { db, sync, provider, account } = reader
  const missing = await listMissing(db, sync)
  const notFound: string[] = []
  for (const chatId of missing.slice(0, ASK_MISSING)) {
    try {
      const group = await patiently(reader, () => provider.group(account, chatId))
      await writeGroups(db, sync, [group], names)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      if (error.kind !== 'not_found') break // the list was whole all the same
      notFound.push(chatId)
    }
  }
  if (missing.length > 0) await markMissing(db, sync, await listMissing(db, sync), notFound)
  await deleteForgotten(db, sync)
}

/** Asks again where the provider is only busy, as late as it says. */
async function patiently<T>({ db, sync, signal }: Reader, ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    if (signal.aborted) throw new Stopped()
    if (!(await renewSync(db, sync))) throw new Lost()
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind !== 'busy' || tries > PATIENCE) throw error
      const waitMs = error.retryAfterMs ?? WAIT_MS * tries
      if (waitMs > LONGEST_WAIT_MS) throw error
      await wait(waitMs, signal)
    }
  }
}

const wait = (ms: number, signal: AbortSignal) =>
  delay(ms, undefined, { signal }).catch(() => {
    throw new Stopped()
  })

const DUE_AT_ONCE = 100

/** A chore: asks for the sync of the instances whose time has come, some at a time. */
export async function requestDueSyncs(
  db: Pool,
  requestSync: (instanceId: number) => Promise<void>,
): Promise<void> {
  for (const instanceId of await listDueSyncs(db, DUE_AT_ONCE)) await requestSync(instanceId)
}
