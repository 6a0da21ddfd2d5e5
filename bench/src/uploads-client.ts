/** The thread of `uploads.ts` that sends and reads files. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Uploads a file as each of these users, or reads files. */
export type ClientWork = { url: string; uploadAs?: string[]; download?: string[] }

const BYTES = 100 << 20
const PIECE = randomBytes(1 << 16)
/** As long as that of a browser. */
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
const TAIL = `\r\n--${BOUNDARY}--\r\n`

const { url, uploadAs = [], download = [] } = workerData as ClientWork

/** A file that nobody else has. */
function* form(nth: number) {
  yield Buffer.from(HEAD)
  yield Buffer.from(`${nth}`.padEnd(8))
  for (let sent = 8; sent < BYTES; sent += PIECE.length) yield PIECE.subarray(0, BYTES - sent)
  yield Buffer.from(TAIL)
}

async function upload(token: string, nth: number): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': HEAD.length + BYTES + TAIL.length,
  }
  const sent = request(`${url}/api/files`, { method: 'POST', headers })
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      if (response.statusCode === 201) resolve(JSON.parse(text).url)
      else reject(new Error(text))
    })
  })
  await pipeline(Readable.from(form(nth), { objectMode: false }), sent)
  return answered
}

async function read(path: string): Promise<string> {
  const response = await fetch(url + path)
  for await (const _ of response.body ?? []) {
    // Only its arrival counts.
  }
  return path
}

parentPort?.postMessage(await Promise.all([...uploadAs.map(upload), ...download.map(read)]))
