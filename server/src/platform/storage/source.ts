/** A file that is read in parts. `read` returns fewer bytes at its end. */
export type Source = { size: number; read: (offset: number, length: number) => Promise<Buffer> }
