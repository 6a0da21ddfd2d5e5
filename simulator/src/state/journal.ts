import fs from 'node:fs'
import path from 'node:path'

const chunkBytes = 1 << 20

/** An append-only file of JSON lines. Without a file the journal keeps nothing. */
export interface Journal {
  /**
   * Calls `onRecord` for every record, oldest first. Cuts off an incomplete last line, which a kill may leave behind.
   * Throws if a complete line is not JSON.
   */
  replay(onRecord: (record: unknown) => void): void
  /** Writes a record. The operating system has the bytes on return, so a SIGKILL cannot lose them. */
  append(record: object): void
  close(): void
}

/** Opens the file, and creates the file and its folder if missing. Throws if the file is unusable or not a journal. */
export function openJournal(file?: string): Journal {
  if (!file) return { replay: () => {}, append: () => {}, close: () => {} }
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const fd = fs.openSync(file, 'a+', 0o600)
  const first = Buffer.alloc(1)
  // Replay waits for the first request, but a wrong file must fail the start.
  if (fs.readSync(fd, first, 0, 1, 0) === 1 && first.toString() !== '{') {
    fs.closeSync(fd)
    throw new Error(`${file} is not a simulator file`)
  }
  let isOpen = true
  return {
    replay: (onRecord) => replay(fd, file, onRecord),
    append(record) {
      // A late reply may outlive the server. By then the descriptor's number may belong to another file.
      if (!isOpen) throw new Error('the journal is closed')
      fs.writeSync(fd, `${JSON.stringify(record)}\n`)
    },
    close() {
      if (isOpen) fs.closeSync(fd)
      isOpen = false
    },
  }
}

function replay(fd: number, file: string, onRecord: (record: unknown) => void) {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let incomplete = Buffer.alloc(0)
  let position = 0
  for (;;) {
    const size = fs.readSync(fd, chunk, 0, chunkBytes, position)
    if (size === 0) break
    position += size
    const bytes = Buffer.concat([incomplete, chunk.subarray(0, size)])
    const end = bytes.lastIndexOf('\n') + 1
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      if (line) onRecord(parse(line, file))
    }
    incomplete = bytes.subarray(end)
  }
  // The next record must start on its own line. Nothing is lost: an incomplete record was never answered.
  if (incomplete.length > 0) fs.ftruncateSync(fd, position - incomplete.length)
}

function parse(line: string, file: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`${file} contains a line that is not JSON: ${line.slice(0, 80)}`)
  }
}
