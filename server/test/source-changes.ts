import { registerHooks } from 'node:module'

/** Replaces `from`, which the file must contain exactly once. `file` is the end of its path. */
export type Change = { file: string; from: string; to: string }

/** Applies the changes that belong to this file. Throws if one no longer fits. */
export function applyChanges(changes: Change[], path: string, source: string): string {
  let changed = source
  for (const { file, from, to } of changes.filter(({ file }) => path.endsWith(`/${file}`))) {
    if (changed.split(from).length !== 2)
      throw new Error(`A change no longer fits ${file}: update '${from}'.`)
    changed = changed.replace(from, () => to)
  }
  return changed
}

/**
 * Changes the sources that this process loads from now on. The files stay as they are. Returns a function that throws
 * if a file to change was not loaded.
 */
export function changeLoadedSources(changes: Change[]): () => void {
  const loadedFiles = new Set<string>()
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const files = changes.map(({ file }) => file).filter((file) => url.endsWith(`/${file}`))
      if (files.length === 0) return loaded
      for (const file of files) loadedFiles.add(file)
      return { ...loaded, source: applyChanges(changes, url, String(loaded.source)) }
    },
  })
  return () => {
    const missed = changes.filter(({ file }) => !loadedFiles.has(file))
    if (missed.length > 0) throw new Error(`Not loaded: ${missed.map(({ file }) => file).join(', ')}`)
  }
}
