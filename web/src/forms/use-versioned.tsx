import { useEffect, useRef, useState } from 'react'
import { Failure, reportFailure } from '../api/failure.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import type { Choice, Conflict } from './conflict-dialog.tsx'
import type { Difference } from './differences.tsx'
import { LOADED_THEIRS } from './use-contract-form.ts'

const ConflictDialog = lazyComponent(async () => (await import('./conflict-dialog.tsx')).ConflictDialog)

/** The version that the next save sends. A save of several calls sets it to the version after each of them. */
export type Version = { current: number }

type Options<Entity, Values> = {
  loaded: Entity
  /** Reads the record again after somebody else has changed it. */
  read: () => Promise<Entity>
  send: (values: Values, version: Version) => Promise<unknown>
  compare: (mine: Values, theirs: Entity) => Difference[]
}

/**
 * Saves a form with the version of the record that it was filled from. If somebody else has changed the record
 * meanwhile, a dialog shows what differs and asks whose values to keep. Render `dialog`, and key the form by the
 * version of `record`, which becomes theirs if the user chooses that.
 */
export function useVersioned<Entity extends { version: number }, Values>(options: Options<Entity, Values>) {
  const { loaded, read, send, compare } = options
  const [record, setRecord] = useState(loaded)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const version = useRef(loaded.version)
  // The user leaves the page while the dialog is open. A failed save keeps the values that were typed.
  useEffect(() => () => conflict?.choose('neither'), [conflict])
  const ask = (differences: Difference[]) =>
    new Promise<Choice>((resolve) => setConflict({ differences, choose: resolve })).finally(() =>
      setConflict(null),
    )
  const save = async (values: Values): Promise<unknown> => {
    try {
      return await send(values, version)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'stale_version') throw error
      const theirs = await read().catch(reportAndThrow)
      const differences = compare(values, theirs)
      const choice = differences.length === 0 ? 'mine' : await ask(differences)
      if (choice === 'neither') throw error
      version.current = theirs.version
      if (choice === 'mine') return save(values)
      setRecord(theirs)
      return LOADED_THEIRS
    }
  }
  return { record, save, dialog: conflict && <ConflictDialog {...conflict} /> }
}

function reportAndThrow(error: unknown): never {
  reportFailure(error)
  throw error
}
