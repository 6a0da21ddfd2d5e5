import { setTimeout as delay } from 'node:timers/promises'
import type { Reason } from '@sendroom/contract/values'
import type { Pool } from '../../platform/database/connection.ts'
import { isDatabaseDown } from '../../platform/database/errors.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  type Credentials,
  type Provider,
  type ProviderChannel,
  ProviderFailure,
  type ProviderGroup,
  type ProviderPage,
  type Providers,
  providerOf,
} from '../../providers/provider.ts'
import {
  claimSync,
  deleteLeftGroups,
  endSync,
  listMissing,
  markMissing,
  releaseSync,
  renewSync,
  retrySync,
  type Sync,
  SyncLost,
  writeGroups,
} from './sync.queries.ts'

type Log = { warn: (details: object, sentence: string) => void }
export type SyncDeps = { db: Pool; secrets: Secrets; providers: Providers; log: Log }

const GROUPS_PER_PAGE = 100
const CONTACTS_PER_PAGE = 500
/** The pause between two pages of a real instance. Third parties have seen Whapi answer 429 without one. */
const PAGE_PAUSE_MS = 1000
/** A page is written in parts of this many participants: 100 groups may have 100,000. Parts are held in memory. */
const PEOPLE_PER_WRITE = 10_000
/** How often and how long we wait for a busy provider. If it asks for a longer wait, the sync ends. */
const MAX_RETRIES = 3
const RETRY_MS = 5000
const MAX_WAIT_MS = 60_000
/** A list of 40,000 groups or 200,000 contacts takes less. One that does not end keeps others waiting. */
const MAX_LIST_MS = 30 * 60_000
/** How many missing groups we look up one by one, with a call for each. */
const MAX_MISSING_CALLS = 10

/** The process is stopping. Another worker will repeat the sync. */
class ProcessStopping extends Error {}

/** Recurring work: syncs the groups of instances that are due, one after another. */
export async function syncDueGroups(deps: SyncDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const sync = await claimSync(deps.db, deps.providers.test !== null)
    if (!sync) return
    await syncGroups(deps, sync, signal)
  }
}

/**
 * Reads the groups and channels of an instance page by page and writes the changes. No two syncs of one
 * instance run at once.
 *
 * Each page is written when it has been read, and only what has changed. Only a sync that reaches the end of the list
 * is complete: it marks missing groups and updates the time of the last sync. An incomplete sync saves its problem
 * instead, and is tried again if the problem may pass soon.
 */
async function syncGroups(deps: SyncDeps, sync: Sync, signal: AbortSignal): Promise<void> {
  try {
    const provider = providerOf(deps.providers, sync)
    if (!provider) throw new Error('This process has no provider for the instance')
    const credentials = { token: deps.secrets.decrypt(sync.tokenCipher) }
    const reader: Reader = { ...deps, sync, provider, credentials, signal, listed: new Set() }
    const names = await readNames(reader)
    await readGroups(reader, names)
    await resolveMissing(reader, names)
    await readChannels(reader)
    while ((await deleteLeftGroups(deps.db, sync)) > 0) await renewSync(deps.db, sync)
    await endSync(deps.db, sync, null)
  } catch (error) {
    await saveProblem(deps, sync, error)
  }
}

type Reader = {
  db: Pool
  sync: Sync
  provider: Provider
  credentials: Credentials
  signal: AbortSignal
  /** The chat ids of the groups and channels that were read. */
  listed: Set<string>
}

/**
 * Saves a failure of the provider, which the pages show. Any other error is logged, or thrown if the database is down.
 */
async function saveProblem({ db, log }: SyncDeps, sync: Sync, error: unknown): Promise<void> {
  if (error instanceof SyncLost || error instanceof ProcessStopping) return void (await releaseSync(db, sync))
  if (error instanceof ProviderFailure) {
    const mayPassSoon = error.kind === 'busy' || error.kind === 'unreachable'
    return void (await endSync(db, sync, { reason: error.reason, status: error.status, mayPassSoon }))
  }
  if (isDatabaseDown(error)) throw error // the lease ends in three minutes
  log.warn({ err: error, instanceId: sync.instanceId }, 'Reading the groups failed')
  await retrySync(db, sync)
}

/**
 * Reads the names of people. They are optional, so only a problem of the instance or an error of ours ends the sync.
 */
async function readNames(reader: Reader): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const { provider, credentials } = reader
  try {
    await eachPage(
      reader,
      CONTACTS_PER_PAGE,
      (page) => provider.contacts(credentials, page),
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
  const { provider, credentials } = reader
  await eachPage(
    reader,
    GROUPS_PER_PAGE,
    (page) => provider.groups(credentials, page),
    (groups) => write(reader, groups, names),
  )
}

async function write(
  { db, sync, listed }: Reader,
  groups: ProviderGroup[],
  names: ReadonlyMap<string, string>,
) {
  for (const part of inParts(groups)) await writeGroups(db, sync, part, names)
  for (const { chatId } of groups) listed.add(chatId)
}

/** Divides groups so that the participants of a part are few, or those of one group. */
function inParts(groups: ProviderGroup[]): ProviderGroup[][] {
  const parts: ProviderGroup[][] = []
  let room = 0
  for (const group of groups) {
    const size = group.participants?.length ?? 0
    if (size > room || parts.length === 0) {
      parts.push([])
      room = PEOPLE_PER_WRITE
    }
    parts.at(-1)?.push(group)
    room -= size
  }
  return parts
}

/**
 * Reads all pages. Throws if the list ends before its own total, because groups after a cut are not missing, and if it
 * does not end. The OpenAPI file
 * does not say whether `total` counts the page or the list, so a full page is the last only if `total` is more than a
 * page.
 */
async function eachPage<T>(
  reader: Reader,
  count: number,
  read: (page: { offset: number; count: number }) => Promise<ProviderPage<T>>,
  onPage: (rows: T[]) => Promise<void>,
): Promise<void> {
  const began = performance.now()
  for (let offset = 0; ; ) {
    if (performance.now() - began >= MAX_LIST_MS) throw new ProviderFailure('unreachable', cutShort)
    const { rows, next, total } = await retryWhileBusy(reader, () => read({ offset, count }))
    if (next === offset && offset < total) throw new ProviderFailure('unreachable', cutShort)
    if (rows.length > 0) await onPage(rows)
    if (next >= total && (next - offset < count || total > count)) return
    offset = next
    if (!reader.sync.isTest) await wait(PAGE_PAUSE_MS, reader.signal)
  }
}

const cutShort: Reason = { code: 'provider_unreadable', params: {} }

/** Looks up a few groups that the list lacks, one by one. Writes those that exist and marks the others. */
async function resolveMissing(reader: Reader, names: ReadonlyMap<string, string>): Promise<void> {
  const { db, sync, provider, credentials, listed } = reader
  const missing = await listMissing(db, sync, 'group', listed)
  const notFound: string[] = []
  for (const chatId of missing.slice(0, MAX_MISSING_CALLS)) {
    try {
      const group = await retryWhileBusy(reader, () => provider.group(credentials, chatId))
      await write(reader, [group], names)
      listed.add(chatId)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      if (error.kind !== 'not_found') break // the list is complete nevertheless
      notFound.push(chatId)
    }
  }
  if (missing.length > 0) await markMissing(db, sync, await listMissing(db, sync, 'group', listed), notFound)
}

/**
 * Reads the channels that the instance may post to. Where it has lost that right, the channel counts as left at once.
 * An account without channels is complete without this list: nobody has confirmed that Whapi answers then.
 */
async function readChannels(reader: Reader): Promise<void> {
  const { db, sync, provider, credentials, listed } = reader
  const withoutRight: string[] = []
  let failure: unknown = null
  try {
    await eachPage(
      reader,
      GROUPS_PER_PAGE,
      (page) => provider.channels(credentials, page),
      async (channels) => {
        await write(reader, channels.filter(mayPost).map(asGroup), new Map())
        withoutRight.push(...channels.filter((channel) => !mayPost(channel)).map(({ chatId }) => chatId))
      },
    )
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind === 'account') throw error
    failure = error
  }
  const missing = await listMissing(db, sync, 'channel', listed)
  if (missing.length === 0) return
  if (failure) throw failure
  await markMissing(db, sync, missing, withoutRight)
}

const mayPost = ({ role }: ProviderChannel) => role === 'owner' || role === 'admin'

const asGroup = ({ chatId, name, subscriberCount }: ProviderChannel): ProviderGroup => ({
  ...{ chatId, name, participants: null, participantCount: subscriberCount, isAdminsOnly: false },
})

/** Repeats a call while the provider is busy, after the wait that it asks for. */
async function retryWhileBusy<T>({ db, sync, signal }: Reader, ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    if (signal.aborted) throw new ProcessStopping()
    await renewSync(db, sync)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.kind !== 'busy' || tries > MAX_RETRIES) throw error
      const waitMs = error.retryAfterMs ?? RETRY_MS * tries
      if (waitMs > MAX_WAIT_MS) throw error
      await wait(waitMs, signal)
    }
  }
}

const wait = (ms: number, signal: AbortSignal) =>
  delay(ms, undefined, { signal }).catch(() => {
    throw new ProcessStopping()
  })
