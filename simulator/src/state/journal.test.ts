import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openJournal } from './journal.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'journal-'))
afterAll(() => rmSync(folder, { recursive: true }))
let last = 0
const newFile = () => path.join(folder, `${++last}.jsonl`)

function recordsOf(file: string): unknown[] {
  const records: unknown[] = []
  const journal = openJournal(file)
  journal.replay((record) => records.push(record))
  journal.close()
  return records
}

test('records come back in order, even if the file is longer than one read', () => {
  const file = newFile()
  const journal = openJournal(file)
  const records = Array.from({ length: 3000 }, (_, n) => ({ n, text: 'chữ 👋 '.repeat(60) }))
  for (const record of records) journal.append(record)
  journal.close()
  expect(recordsOf(file)).toEqual(records)
})

test('the folder of a new file is created', () => {
  const file = path.join(folder, 'new', 'folder', 'journal.jsonl')
  openJournal(file).close()
  expect(recordsOf(file)).toEqual([])
})

test('an incomplete last line is cut off, and the next record starts a new line', () => {
  const file = newFile()
  appendFileSync(file, '{"n":1}\n{"n":2')
  expect(recordsOf(file)).toEqual([{ n: 1 }])
  const journal = openJournal(file)
  journal.append({ n: 3 })
  journal.close()
  expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n{"n":3}\n')
})

test('a file that is not a journal is refused', () => {
  const file = newFile()
  writeFileSync(file, 'hello world\n')
  expect(() => openJournal(file)).toThrow('is not a simulator file')
  writeFileSync(file, '{"n":1}\nhello world\n{"n":2}\n')
  expect(() => recordsOf(file)).toThrow('not JSON: hello world')
})

test('an append after close throws', () => {
  const journal = openJournal(newFile())
  journal.close()
  expect(() => journal.append({})).toThrow('closed')
})
