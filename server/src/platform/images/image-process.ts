import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ErrorCode } from '@sendroom/contract/errors'
import { Refusal } from '../refusal.ts'
import type { CleanImage } from './clean-image.ts'

export type Reply = { image: CleanImage } | { refusal: ErrorCode } | { error: unknown }

export type ImageProcess = {
  /** Not before the last call has ended. Throws the refusals of `cleanImage`, and the signal's reason. */
  clean: (bytes: Uint8Array, signal: AbortSignal) => Promise<CleanImage>
  /** The id of the process, if there is one. */
  pid: () => number | undefined
  stop: () => Promise<void>
}

/** A photo takes a second, the worst image that fits into the memory ten, on a slow machine twice that. */
const MAX_MS = 20_000
/**
 * With the server and PostgreSQL this stays below 400 MB. An upright JPEG or a lossy WebP of 25 megapixels takes up
 * to 140 MB, and so does a JPEG of 12 that has to be turned. A progressive JPEG, an interlaced PNG or a lossless WebP
 * of 25 may take 200, and is refused.
 */
const MAX_MEGABYTES = 150
/** An idle process keeps about 70 MB. A new one starts within a third of a second. */
const IDLE_MS = 10_000

const MAIN = new URL('./image-process-main.ts', import.meta.url)

/**
 * Cleans images in a process of their own, which starts with the first one and ends when it is idle. So an image that
 * takes too much memory or time, or crashes the decoder, fails alone: its process is killed, and the next image gets a
 * new one. The threads of the server stay free for passwords and files.
 */
export function openImageProcess({
  maxMs = MAX_MS,
  maxMegabytes = MAX_MEGABYTES,
  idleMs = IDLE_MS,
} = {}): ImageProcess {
  let child: ChildProcess | null = null
  let idle: NodeJS.Timeout | undefined

  function start(): ChildProcess {
    const started = startProcess(maxMegabytes)
    started.once('exit', () => {
      if (child === started) child = null
    })
    return started
  }

  async function end() {
    clearTimeout(idle)
    const ending = child
    child = null
    if (ending?.kill('SIGKILL')) await once(ending, 'exit')
  }

  async function replyTo(bytes: Uint8Array, signal: AbortSignal): Promise<Reply> {
    clearTimeout(idle)
    child ??= start()
    try {
      return await ask(child, bytes, AbortSignal.any([signal, AbortSignal.timeout(maxMs)]))
    } catch (error) {
      await end()
      signal.throwIfAborted()
      throw new Refusal('image_too_complex', {}, null, error)
    } finally {
      idle = setTimeout(end, idleMs).unref()
    }
  }

  return {
    async clean(bytes, signal) {
      signal.throwIfAborted()
      const reply = await replyTo(bytes, signal)
      if ('image' in reply) return reply.image
      throw 'refusal' in reply ? new Refusal(reply.refusal) : reply.error
    },
    pid: () => child?.pid,
    stop: end,
  }
}

/** Without the environment, which has secrets, and without the flags of the server. An idle process keeps nobody. */
function startProcess(maxMegabytes: number): ChildProcess {
  const child = fork(MAIN, [String(maxMegabytes)], {
    env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
    execArgv: [],
    serialization: 'advanced',
  })
  // A failed start or call shows in the reply that does not come.
  child.on('error', () => {})
  child.unref()
  child.channel?.unref()
  return child
}

/** Rejects when the signal aborts, and when the process ends: killed for its memory, or crashed. */
async function ask(child: ChildProcess, bytes: Uint8Array, signal: AbortSignal): Promise<Reply> {
  const settled = new AbortController()
  const until = AbortSignal.any([signal, settled.signal])
  const ended = once(child, 'exit', { signal: until }).then(([code, killedBy]) => {
    throw new Error(`The image process ended with ${killedBy ?? code}.`)
  })
  try {
    const replied = once(child, 'message', { signal: until })
    child.send(bytes, () => {}) // a failure shows in the end of the process
    const [reply] = await Promise.race([replied, ended])
    return reply as Reply // our own program sent it
  } finally {
    settled.abort()
  }
}
