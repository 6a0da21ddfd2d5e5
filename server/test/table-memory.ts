import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { previewTable, readTable } from '../src/platform/table-file/table-file.ts'
import { sourceOf } from './table-source.ts'

/** Runs in a thread, whose memory nothing else uses. Answers a file's rows, and the memory that they take. */
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function usedNow(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

const known = { fields: [], defaultCountry: 'VN' } as const
const source = sourceOf(workerData)
const before = usedNow()
const { format } = await previewTable(source, {}, known)
let most = 0
let rows = 0
for await (const _ of readTable(source, format)) {
  if (rows++ % 20_000 === 10_000) most = Math.max(most, usedNow() - before)
}
parentPort?.postMessage({ rows, megabytes: most })
