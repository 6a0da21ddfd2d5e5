/**
 * The thread of `hostile-commands.ts` that attacks: 45 callers cancel, retry, pause, resume and delete the same job,
 * all at once and again and again. Posts how often each status was answered.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Answer, listed, timed } from './hostile-answers.ts'

const { url, tokens, jobIds, seconds } = workerData as {
  url: string
  tokens: string[]
  jobIds: number[]
  seconds: number
}
const COMMANDS = ['cancel', 'retry-failed', 'pause', 'resume']
/** Each caller then meets the limit of requests within a minute, as an attacker would. */
const PAUSE_MS = 100

const answers: Answer[] = []
const began = performance.now()
const jobSeconds = seconds / jobIds.length

/** The job that is attacked now, and whether its time is nearly over: then it is deleted, too. */
function target() {
  const elapsed = (performance.now() - began) / 1000
  const nth = Math.floor(elapsed / jobSeconds)
  return { id: jobIds[nth], mayDelete: elapsed - nth * jobSeconds > jobSeconds * 0.75 }
}

async function attack(token: string, offset: number) {
  for (let nth = offset; ; nth++) {
    const { id, mayDelete } = target()
    if (id === undefined) return
    const isDelete = mayDelete && nth % 3 === 0
    const path = isDelete ? `/api/jobs/${id}` : `/api/jobs/${id}/${COMMANDS[nth % COMMANDS.length]}`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const call = fetch(`${url}${path}`, {
      method: isDelete ? 'DELETE' : 'POST',
      headers: isDelete ? { authorization: headers.authorization } : headers,
      ...(!isDelete && { body: '{}' }),
    })
    answers.push(await timed(call))
    await delay(PAUSE_MS)
  }
}

await Promise.all(tokens.map(attack))
parentPort?.postMessage(listed(answers))
