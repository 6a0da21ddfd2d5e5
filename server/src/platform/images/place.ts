/** Where the files are. `get` returns null only if the place works and has no such file. */
export type Place = {
  /** After a crash the whole file is there, or none. */
  put: (name: string, bytes: Uint8Array) => Promise<unknown>
  get: (name: string) => Promise<Uint8Array | null>
  remove: (name: string) => Promise<unknown>
  /** A bucket needs neither of these. */
  prepare?: (isUsed: boolean) => Promise<unknown>
  removeLeftovers?: () => Promise<unknown>
}
