import { StartupError } from '../../startup-error.ts'

/** Returns a sentence for a known complaint of PostgreSQL or the file system, with what to do about it. */
export function explain(output: string, folder: string): string | undefined {
  const version = /initialized by PostgreSQL version (\d+).*this version (\d+)/s.exec(output)
  if (version) {
    return `The database in ${folder} was made by PostgreSQL ${version[1]}, and this Sendroom brings PostgreSQL ${version[2]}: move it with pg_dump and pg_restore, or start the Sendroom that made it.`
  }
  return causes.find(([pattern]) => pattern.test(output))?.[1](folder)
}

/** Turns a known error of a file in the data folder into a StartupError. Returns any other error unchanged. */
export function explainFile(error: unknown, dataDir: string): unknown {
  const isOurs = error instanceof Error && 'path' in error && String(error.path).startsWith(dataDir)
  const sentence = isOurs && explain(String(error), dataDir)
  return sentence ? new StartupError(sentence) : error
}

const causes: [RegExp, (folder: string) => string][] = [
  [
    /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/,
    (folder) => `The disk that holds ${folder} is full: free some space and start again.`,
  ],
  [
    /Read-only file system|EROFS/,
    (folder) =>
      `The data folder ${folder} lies on a read-only disk: set DATA_DIR to a folder that can be written.`,
  ],
  [
    /EEXIST|ENOTDIR|Not a directory/,
    (folder) =>
      `The data folder ${folder} can't be made, because a file is in its place: set DATA_DIR to a folder.`,
  ],
  [
    /could not look up effective user/,
    () =>
      'The user that runs Sendroom has no line in /etc/passwd, but PostgreSQL needs one: start Sendroom as a user of the system.',
  ],
  [
    /error while loading shared libraries/,
    () => 'The database lacks its libraries: run "npm ci" with install scripts allowed.',
  ],
  [
    /data directory .* has invalid permissions/,
    (folder) =>
      `The database in ${folder} is open to other users, and PostgreSQL refuses that: run "chmod 700 ${folder}".`,
  ],
  [
    /Permission denied|EACCES|EPERM|Operation not permitted/,
    (folder) =>
      `The data folder ${folder} can't be written by this user: give it the right, or set DATA_DIR to another folder.`,
  ],
]
