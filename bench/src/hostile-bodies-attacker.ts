/** The thread of `hostile-bodies.ts` that attacks. Posts how often each status was answered. */

import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Answer, listed, timed } from './hostile-answers.ts'

type Attack = { url: string; token: string; instanceId: number; attacks: number }

const { url, token, instanceId, attacks } = workerData as Attack
const answers: Answer[] = []

const brackets = '['.repeat(2_900_000) + ']'.repeat(2_900_000)
const phoneNumbers = '1,'.repeat(2_000_000)
const preview = JSON.stringify({ jobType: 'SendToUsers', text: 'Hello', instanceId, phoneNumbers })

async function post(path: string, body: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  answers.push(await timed(fetch(`${url}/api${path}`, { method: 'POST', body, headers })))
}

for (let nth = 0; nth < attacks; nth++) {
  await Promise.all([
    ...Array.from({ length: 24 }, () => post('/jobs', brackets)),
    ...Array.from({ length: 5 }, () => post('/jobs/preview', preview)),
  ])
  await delay(500)
}
parentPort?.postMessage(listed(answers))
