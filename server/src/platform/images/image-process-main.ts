import { constants, setPriority } from 'node:os'
import { Refusal } from '../refusal.ts'
import { cleanImage } from './clean-image.ts'
import type { Reply } from './image-process.ts'

// The image process: cleans one image at a time for the server, its parent.

const maxMegabytes = Number(process.argv[2])
const WATCH_MS = 20

// Decoding keeps a processor busy for seconds. Sign-ins and the engine come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
// Ctrl-C and systemd signal all processes at once. The server still wants its last image, and then ends this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
// Without its server, this process would wait for ever.
process.on('disconnect', end)

process.on('message', async (bytes: Uint8Array) => {
  const watch = setInterval(endIfTooLarge, WATCH_MS)
  process.send?.(await clean(bytes))
  clearInterval(watch)
})

async function clean(bytes: Uint8Array): Promise<Reply> {
  try {
    return { image: await cleanImage(bytes) }
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.code } : { error }
  }
}

/** Decoders work on other threads, so this one is free to watch. No system call bounds memory on all platforms. */
function endIfTooLarge() {
  if (process.memoryUsage.rss() > maxMegabytes * 1024 * 1024) end()
}

/** Unlike `process.exit`, this does not wait for the decoder's threads. */
function end() {
  process.kill(process.pid, 'SIGKILL')
}
