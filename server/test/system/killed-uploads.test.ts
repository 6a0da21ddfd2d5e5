import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { moveClockAt } from '../clock.ts'
import type { HttpClient } from '../http-client.ts'
import { type Installation, startSimulatorProcess } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'
import { until } from '../until.ts'
import { addInstance, allSent, chatsOf, phoneNumbers, untilEnded } from './scenario.ts'

const MEGABYTE = 1 << 20
/** The lease of a killed process. */
const LEASE_ENDED = '40 seconds'
const video = videoOf(16 * MEGABYTE)
const hashOf = (bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(bytes).digest(encoding)

// R-1766
test('a process killed while a video arrives stores nothing of it, and the next upload is whole', {
  timeout: 120_000,
}, async () => {
  await using home = await readyInstallation()
  const killed = await home.start()
  beginUpload(killed.url, await home.signIn(killed))
  await until('some megabytes are on the disk', async () => largestPart(home) > 4 * MEGABYTE)
  await killed.end('SIGKILL')

  const sendroom = await home.start()
  const admin = await home.signIn(sendroom)
  const file = await upload(admin)

  expect(storedFiles(home)).toEqual([file.name])
  expect(hashOf(readFileSync(join(home.dataDir, 'files', file.name)))).toBe(hashOf(video))
})

// R-1767
test('a process killed while WhatsApp gets a video sends the whole video, to each recipient once', {
  timeout: 180_000,
}, async () => {
  await using home = await readyInstallation()
  await using simulator = await startSimulatorProcess(home.dataDir)
  await using provider = await openSlowProvider(simulator.url)
  const env = { TEST_PROVIDER_URL: provider.url }
  const numbers = phoneNumbers(3)
  let sendroom = await home.start([], env)
  const admin = await home.signIn(sendroom)
  const jobId = await createVideoJob(admin, numbers)
  for (const part of ['body', 'answer'] as const) {
    provider.stopAt(part)
    await until(`an upload waits for the ${part}`, async () => provider.isWaiting())
    await sendroom.end('SIGKILL')
    await moveClockAt(home.database, LEASE_ENDED)
    sendroom = await home.start([], env)
    admin.url = sendroom.url
  }
  provider.stopAt(null)

  const job = await untilEnded(admin, jobId, 120_000)
  const sent = await simulator.ledger()
  expect(job).toMatchObject({ status: 'Completed', recipients: allSent(numbers.length) })
  expect(sent.map(({ to }) => to).sort()).toEqual(chatsOf(numbers))
  expect(new Set(sent.map(({ media }) => media?.sha256))).toEqual(new Set([hashOf(video, 'base64')]))
})

/** A video of this size, most of which is a box that players skip. */
function videoOf(size: number): Buffer {
  const start = readFileSync(join(import.meta.dirname, '../fixtures/files/video.mp4'))
  const box = Buffer.alloc(size - start.length)
  box.writeUInt32BE(box.length)
  box.write('free', 4)
  return Buffer.concat([start, box])
}

function formOfVideo(): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(video)]), 'film.mp4')
  return form
}

const upload = (admin: HttpClient) =>
  admin.ask(contract.files.upload, { body: formOfVideo() } as never) as Promise<{ name: string }>

/** Sends the first half of an upload. The connection stays open. */
function beginUpload(url: string, { token }: HttpClient) {
  const form = `--x\r\ncontent-disposition: form-data; name="file"; filename="film.mp4"\r\n\r\n`
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {}) // the process is killed
  socket.write(
    `POST /api/files HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${video.length + 1000}\r\n\r\n${form}`,
  )
  socket.write(video.subarray(0, 8 * MEGABYTE))
}

const filesIn = ({ dataDir }: Installation) =>
  readdirSync(join(dataDir, 'files')).filter((name) => !name.startsWith('.'))
const storedFiles = (home: Installation) => filesIn(home).filter((name) => !name.endsWith('.part'))
const largestPart = (home: Installation) =>
  Math.max(0, ...filesIn(home).map((name) => statSync(join(home.dataDir, 'files', name)).size))

async function createVideoJob(admin: HttpClient, numbers: string[]): Promise<number> {
  const instanceId = await addInstance(admin, 'test_linked_video')
  const { name } = await upload(admin)
  const content = { kind: 'video' as const, file: name, fileName: 'film.mp4' }
  const message = await admin.ask(contract.messages.create, { body: { textContent: 'Look!', content } })
  const { id } = await admin.ask(contract.jobs.create, {
    body: { messageId: message.id, instanceId, jobType: 'SendToUsers', phoneNumbers: numbers.join('\n') },
  })
  return id
}

/** Passes requests on to a provider. An upload can be held up in its middle, or before its answer. */
async function openSlowProvider(target: string) {
  let stopsAt: 'body' | 'answer' | null = null
  let isWaiting = false

  function pass(incoming: IncomingMessage, reply: ServerResponse) {
    const held = incoming.url?.startsWith('/media') ? stopsAt : null
    const { method = '', headers } = incoming
    const outgoing = request(new URL(incoming.url ?? '', target), { method, headers }, (answer) => {
      isWaiting ||= held === 'answer'
      if (held) return
      reply.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(reply)
    })
    let size = 0
    incoming.on('data', (bytes: Buffer) => {
      size += bytes.length
      if (held !== 'body' || size < 8 * MEGABYTE) return
      incoming.unpipe(outgoing).pause()
      isWaiting = true
    })
    incoming.on('error', () => outgoing.destroy())
    reply.on('close', () => outgoing.destroy())
    outgoing.on('error', () => reply.destroy())
    incoming.pipe(outgoing)
  }

  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has a port
    isWaiting: () => isWaiting,
    /** Uploads that begin from now on stop there. */
    stopAt(part: 'body' | 'answer' | null) {
      stopsAt = part
      isWaiting = false
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
