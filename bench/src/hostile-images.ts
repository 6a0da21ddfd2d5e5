/**
 * What do users notice while Members upload hostile images? Four at once, again and again: small files that decode to
 * many pixels. 20 users a second sign in meanwhile, and as often somebody loads the first page.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import { tiles } from '../../server/test/pictures.ts'
import { Installation } from '../../server/test/process.ts'
import { treeMegabytes } from './processes.ts'
import { printTable } from './table.ts'

const SECONDS = 15
const USERS = 8
const AT_ONCE = 4
const PASSWORD = 'a password for the benchmark'

await using home = await Installation.create()
const sendroom = await home.start()
const admin = await home.signIn(sendroom)
const usernames = Array.from({ length: USERS }, (_, nth) => `bench${nth}`)
for (const username of usernames)
  await admin.ask(contract.users.create, {
    body: { username, email: `${username}@example.com`, password: PASSWORD },
  })

let refused = 0

/** Counts a refusal, which an attack may cause. */
async function signIn(username: string): Promise<{ token: string }> {
  const body = JSON.stringify({ username, password: PASSWORD })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${sendroom.url}/api/auth/login`, { method: 'POST', body, headers })
  if (!answer.ok) refused++
  return answer.json()
}

const loadPage = async () => void (await fetch(sendroom.url).then((answer) => answer.text()))

/** Calls `run` twenty times a second, and returns each time in ms. */
async function repeat(run: (nth: number) => Promise<unknown>): Promise<number[]> {
  const times: Promise<number>[] = []
  for (let nth = 0; nth < SECONDS * 20; nth++) {
    const began = performance.now()
    times.push(run(nth).then(() => performance.now() - began))
    await delay(50)
  }
  return Promise.all(times)
}

/** Returns the status of the answer, with the time in seconds. */
async function upload(token: string, image: Buffer): Promise<string> {
  const body = new FormData()
  body.append('textContent', 'Hello')
  body.append('imageFile', new Blob([new Uint8Array(image)]), 'picture.webp')
  const began = performance.now()
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${sendroom.url}/api/messages`, { method: 'POST', body, headers })
  await answer.text()
  return `${answer.status} after ${((performance.now() - began) / 1000).toFixed(1)} s`
}

const tokens = await Promise.all(usernames.slice(0, AT_ONCE).map(signIn))
const postmaster = () =>
  Number(readFileSync(join(home.database.host, 'postmaster.pid'), 'utf8').split('\n')[0])

async function measure(name: string, image: Buffer | null) {
  let isOver = false
  let peak = 0
  refused = 0
  const watching = (async () => {
    for (; !isOver; await delay(100)) peak = Math.max(peak, treeMegabytes(sendroom.pid, postmaster()))
  })()
  const attack = image ? Promise.all(tokens.map(({ token }) => upload(token, image))) : null
  const [signIns, pages] = await Promise.all([
    repeat((nth) => signIn(usernames[nth % USERS] ?? '')),
    repeat(loadPage),
  ])
  const answers = (await attack) ?? []
  isOver = true
  await watching
  return {
    while: name,
    ...columnsOf('sign-in', signIns),
    'sign-ins refused': refused,
    ...columnsOf('page', pages),
    'all processes, peak MB': peak,
    answers: answers.join(', '),
  }
}

function columnsOf(what: string, times: number[]) {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return {
    [`${what} p50 ms`]: at(0.5),
    [`${what} p95 ms`]: at(0.95),
    [`${what} longest ms`]: times.at(-1) ?? 0,
  }
}

printTable(`20 sign-ins and 20 pages a second for ${SECONDS} s; ${AT_ONCE} images at once`, [
  await measure('calm', null),
  await measure('images of 50 megapixels', await tiles(7040, 7040)),
  await measure('images of 25 megapixels', await tiles(5000, 5000)),
  await measure('calm again', null),
])
