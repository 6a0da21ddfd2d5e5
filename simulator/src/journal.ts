import fs from 'node:fs'
import path from 'node:path'

const chunkBytes = 1 << 20

/** An append-only file of JSON lines. Without a file, nothing is kept. */
export interface Journal {
  /** Calls `take` for every whole record, oldest first, and cuts off a last line torn by a kill. */
  replay(take: (record: unknown) => void): void
  /** Hands the record to the operating system before it returns, so a SIGKILL cannot lose it. */
  append(record: object): void
  close(): void
}

/** Opens (or creates) the file and its folder; throws when it cannot be used, or is something else. */
export function openJournal(file?: string): Journal {
  if (!file) return { replay: () => {}, append: () => {}, close: () => {} }
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const fd = fs.openSync(file, 'a+', 0o600)
  const first = Buffer.alloc(1)
  // Nothing is read back before the first request; a file given by mistake should be refused at once.
  if (fs.readSync(fd, first, 0, 1, 0) === 1 && first.toString() !== '{') {
    fs.closeSync(fd)
    throw new Error(`${file} is not a file of the simulator`)
  }
  let open = true
  return {
    replay: (take) => replay(fd, file, take),
    append(record) {
      // A late reply may outlive the server, and the descriptor's number may by then be another file's.
      if (!open) throw new Error('the journal is closed')
      fs.writeSync(fd, `${JSON.stringify(record)}\n`)
    },
    close() {
      if (open) fs.closeSync(fd)
      open = false
    },
  }
}

function replay(fd: number, file: string, take: (record: unknown) => void) {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let rest = Buffer.alloc(0)
  let position = 0
  for (;;) {
    const size = fs.readSync(fd, chunk, 0, chunkBytes, position)
    if (size === 0) break
    position += size
    const bytes = Buffer.concat([rest, chunk.subarray(0, size)])
    const end = bytes.lastIndexOf('\n') + 1
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      if (line) take(parse(line, file))
    }
    rest = bytes.subarray(end)
  }
  // The next record must start on its own line. What is torn was never answered.
  if (rest.length > 0) fs.ftruncateSync(fd, position - rest.length)
}

function parse(line: string, file: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`${file} holds a line that is not JSON: ${line.slice(0, 80)}`)
  }
}
