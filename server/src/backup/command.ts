import type { Config } from '../config.ts'
import type { Log } from '../embedded-postgres/cluster.ts'
import { Refusal } from '../platform/refusal.ts'
import { StartupError } from '../startup-error.ts'

/** The context in which `backUp` and `restore` run. */
export type Command = {
  config: Config
  log: Log
  /** Tells the person who runs the command. */
  say: (sentence: string) => void
  /** Aborts the command. Then there is no file, and the database is as before. */
  signal: AbortSignal
}

const sentences: Record<string, (path: string) => string> = {
  ENOENT: (path) => `${path} does not exist.`,
  EEXIST: (path) =>
    `${path} exists already: another backup is writing the file, or one was killed. Remove the file, or name another.`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  EACCES: (path) => `This user may not open ${path}.`,
  EPERM: (path) => `This user may not open ${path}.`,
  EROFS: (path) => `${path} is on a read-only disk.`,
}

/** Returns a StartupError for a failure that the person can do something about, and any other error unchanged. */
export function explain(error: unknown, path: string, { signal }: Pick<Command, 'signal'>): unknown {
  if (signal.aborted)
    return new StartupError('Stopped before the end. The backup or the restore has not happened.')
  if (error instanceof Refusal && error.code === 'image_store_down')
    return new StartupError(`The images can't be read or written: ${error.cause}`)
  if (error instanceof Refusal && error.code === 'file_store_down')
    return new StartupError(`The files can't be read or written: ${error.cause}`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StartupError(`The disk with ${path} is full. Free some space and try again.`)
  // PostgreSQL's "disk full".
  if (code === '53100')
    return new StartupError('The disk of the database is full. Free some space and try again.')
  const isFile = error instanceof Error && 'path' in error
  const sentence = isFile ? sentences[code]?.(String(error.path)) : undefined
  return sentence ? new StartupError(sentence) : error
}
