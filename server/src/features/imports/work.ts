import { check, type ImportDeps } from './check.ts'
import { importRows, undoRows } from './run.queries.ts'
import { type Claim, claimImport, endRun, failCheck, ImportLost, release, step } from './work.queries.ts'

/** After so long the next import has its turn, so that nobody waits for a large one. */
const TURN_MS = 2000
/** A check that fails so often may be what ends the process. */
const MAX_TRIES = 5
const RETRY_SECONDS = 10

/**
 * Recurring work: checks, stores and undoes imports, one after another in turns. What a step has stored it has stored
 * with how far it came, so another process goes on there.
 */
export async function workOnImports(deps: ImportDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claim = await claimImport(deps.db, deps.providers.test !== null)
    if (!claim) return
    try {
      await takeTurn(deps, claim, signal)
      await release(deps.db, claim)
    } catch (error) {
      if (error instanceof ImportLost) continue
      await release(deps.db, claim, RETRY_SECONDS)
      throw error
    }
  }
}

async function takeTurn(deps: ImportDeps, claim: Claim, signal: AbortSignal): Promise<void> {
  const { db } = deps
  const began = performance.now()
  if (claim.status === 'checking' && claim.tries > MAX_TRIES)
    return failCheck(db, claim, { code: 'import_failed', params: {} })
  const work = claim.status === 'undoing' ? undoRows : importRows
  while (!signal.aborted && performance.now() - began < TURN_MS) {
    if (claim.status === 'checking') {
      if (await check(deps, claim, signal)) return
    } else if (claim.cursor >= (claim.rows ?? 0)) return endRun(db, claim)
    else claim.cursor = await step(db, claim, (tx) => work(tx, claim))
  }
}
