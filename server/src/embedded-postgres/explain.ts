import { StartupError } from '../startup-error.ts'

/** Returns a sentence for a known complaint of PostgreSQL or the file system, with what to do about it. */
export function explain(output: string, folder: string): string | undefined {
  const version = /initialized by PostgreSQL version (\d+).*this version (\d+)/s.exec(output)
  if (version) {
    return `The database in ${folder} was created by PostgreSQL ${version[1]}, but this version of Sendroom includes PostgreSQL ${version[2]}. Start the version of Sendroom that created the database, run "npm start -- backup FILE" there, and restore the file with this version.`
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
    (folder) => `The disk with ${folder} is full. Free some space and start again.`,
  ],
  [
    /Read-only file system|EROFS/,
    (folder) => `The data folder ${folder} is on a read-only disk. Set DATA_DIR to a writable folder.`,
  ],
  [
    /EEXIST|ENOTDIR|Not a directory/,
    (folder) =>
      `The data folder ${folder} cannot be created because a file is in its place. Set DATA_DIR to a folder.`,
  ],
  [
    /could not look up effective user/,
    () =>
      'The user that runs Sendroom has no entry in /etc/passwd, which PostgreSQL requires. Start Sendroom as a user of this system.',
  ],
  [
    /error while loading shared libraries/,
    () => 'Libraries of the embedded PostgreSQL are missing. Run "npm ci --ignore-scripts=false".',
  ],
  [
    /data directory .* has invalid permissions/,
    (folder) =>
      `Other users can access the database in ${folder}, which PostgreSQL does not allow. Run "chmod 700 ${folder}".`,
  ],
  [
    /Permission denied|EACCES|EPERM|Operation not permitted/,
    (folder) =>
      `This user cannot write to the data folder ${folder}. Grant write access, or set DATA_DIR to another folder.`,
  ],
]
