// SENDROOM_URL=https://sendroom.example SENDROOM_KEY=sendroom_… SENDROOM_TO=+84901234567 node send.ts
import { randomUUID } from 'node:crypto'

const { SENDROOM_URL, SENDROOM_KEY, SENDROOM_TO } = process.env

async function call(path: string, body?: object) {
  const response = await fetch(`${SENDROOM_URL}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${SENDROOM_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status >= 500) throw new Error(`Sendroom answered ${response.status}`)
  const answer = await response.json()
  if (!response.ok) {
    console.error(answer)
    process.exit(1)
  }
  return answer
}

/** Tries again if no answer arrives, or the answer is an error of the server. */
async function callAgain(path: string, body: object, attempts = 4) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(path, body)
    } catch (error) {
      if (attempt === attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt))
    }
  }
}

// The first account that the key may use.
const { data: accounts } = await call('/instances?pageSize=1&sortBy=id&sortDirection=asc')

const job = await callAgain('/jobs', {
  // The id of this job. A second attempt with the same id creates no second job.
  requestId: randomUUID(),
  instanceId: accounts[0].id,
  jobType: 'SendToUsers',
  phoneNumbers: SENDROOM_TO,
  message: { textContent: 'Your order is ready.' },
})
console.log(JSON.stringify(job))
