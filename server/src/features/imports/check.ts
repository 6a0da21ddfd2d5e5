import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../platform/database/connection.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { TableFileError } from '../../platform/table-file/table-file-error.ts'
import { ProviderFailure, type Providers, providerOf } from '../../providers/provider.ts'
import { readFields } from './imports.queries.ts'
import { openFile } from './parts.queries.ts'
import { readPerson } from './read-row.ts'
import { countryOf, formatOf, refusalOf } from './reading.ts'
import { readStagedRows } from './staged-rows.ts'
import {
  type Claim,
  countRows,
  endCheck,
  failCheck,
  insertRows,
  lastPerson,
  membersAfter,
  type StagedRow,
  step,
} from './work.queries.ts'

export type ImportDeps = { db: Pool; secrets: Secrets; providers: Providers }

/** Members that are stored at once. */
const AT_ONCE = 1000
const CONTACTS_PER_PAGE = 500
/** Real accounts answer 429 without it. */
const PAGE_PAUSE_MS = 1000

/** Reads all rows and stores what they say, without a change of any contact. Returns true at the end of the rows. */
export async function check(deps: ImportDeps, claim: Claim, signal: AbortSignal): Promise<boolean> {
  try {
    if (!claim.isAllowed) throw new Refusal('forbidden')
    const isThrough = await readers[claim.source](deps, claim, signal)
    if (isThrough) await endCheck(deps.db, claim)
    return isThrough
  } catch (error) {
    const fault = faultOf(error)
    if (!fault) throw error
    await failCheck(deps.db, claim, fault)
    return true
  }
}

function faultOf(error: unknown): { code: string; params: object } | null {
  if (error instanceof TableFileError) {
    const [code, params] = refusalOf(error)
    return { code, params }
  }
  if (error instanceof Refusal) return { code: error.code, params: error.params }
  return error instanceof ProviderFailure ? { code: 'import_failed', params: {} } : null
}

type Reader = (deps: ImportDeps, claim: Claim, signal: AbortSignal) => Promise<boolean>
const readers: Record<Claim['source'], Reader> = {
  file: checkFile,
  addressBook: checkAddressBook,
  groups: checkGroups,
}

/** After a stop the rows that are stored already are read once more, and skipped. */
async function checkFile({ db }: ImportDeps, claim: Claim, signal: AbortSignal): Promise<boolean> {
  const { reading, cursor: from } = claim
  const file = await openFile(db, claim.id)
  if (!reading || !file) throw new Refusal('import_failed')
  const reader = {
    columns: reading.columns,
    country: countryOf(reading.country),
    fields: await readFields(db),
  }
  const input = { format: formatOf(reading), hasHeader: reading.hasHeader, reader, from }
  for await (const rows of readStagedRows(file, input)) {
    if (signal.aborted) return false
    claim.cursor = await step(db, claim, async (tx) => {
      await insertRows(tx, claim.id, rows)
      return { cursor: claim.cursor + rows.length }
    })
  }
  if (claim.cursor === 0) throw new Refusal('file_empty')
  return true
}

/** A page of the address book. */
async function checkAddressBook({ db, secrets, providers }: ImportDeps, claim: Claim, signal: AbortSignal) {
  const provider = providerOf(providers, claim)
  if (!provider || !claim.tokenCipher) throw new Refusal('import_failed')
  const credentials = { token: secrets.decrypt(claim.tokenCipher) }
  const page = await provider.contacts(credentials, { offset: claim.cursor, count: CONTACTS_PER_PAGE })
  const people = page.rows.filter(({ personId }) => personId !== claim.ownNumber)
  await step(db, claim, async (tx) => {
    await insertRows(tx, claim.id, stagedPeople(await countRows(tx, claim.id), people))
    return { cursor: page.next }
  })
  const isStuck = page.next === claim.cursor
  if (isStuck && claim.cursor < page.total) throw new Refusal('import_failed')
  if (!claim.isTest && !isStuck) await delay(PAGE_PAUSE_MS, undefined, { signal }).catch(() => {})
  claim.cursor = page.next
  return isStuck || page.next >= page.total
}

/** Some of the members of the groups. */
async function checkGroups({ db }: ImportDeps, claim: Claim) {
  const people = await membersAfter(db, claim, await lastPerson(db, claim.id), AT_ONCE)
  claim.cursor = await step(db, claim, async (tx) => {
    await insertRows(tx, claim.id, stagedPeople(claim.cursor, people))
    return { cursor: claim.cursor + people.length }
  })
  return people.length < AT_ONCE
}

/** The place counts people, and is their number too, because nothing shows rows. */
function stagedPeople(
  before: number,
  people: readonly { personId: string; name: string | null }[],
): StagedRow[] {
  const found = people.map(({ personId, name }) => readPerson(personId, name ?? ''))
  return found
    .filter((person) => person !== null)
    .map(({ fieldValues, ...columns }, index) => {
      const number = before + index + 1
      const cells = [columns.kind === 'phone' ? `+${columns.value}` : columns.value, columns.name]
      return { place: number, number, cells, ...columns, field_values: fieldValues }
    })
}
