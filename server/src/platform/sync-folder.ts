import { open } from 'node:fs/promises'

/** Without this a power failure could take back a file's new name. Windows has no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
