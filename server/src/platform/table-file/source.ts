/** The bytes of a file, wherever they are kept. They are read in parts, and never as a whole. */
export type TableSource = {
  size: number
  /** Yields the bytes from `start` to before `end`. */
  read: (start?: number, end?: number) => AsyncIterable<Buffer>
}

/** Reads the first bytes of a file. */
export async function readStart(source: TableSource, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source.read(0, Math.min(bytes, source.size))) parts.push(part)
  return Buffer.concat(parts)
}
