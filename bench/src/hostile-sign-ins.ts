/**
 * An attack of `hostile.ts`: a Member signs in correctly 900 times in 15 s, and guesses a new password with 40 device
 * cookies of the old one. Meanwhile an Admin and another Member sign in, always on new devices.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../server/src/platform/database/connection.ts'
import { sql } from '../../server/src/platform/database/sql.ts'
import { hashPassword } from '../../server/src/platform/passwords.ts'
import type { Environment } from './engine-environment.ts'
import { printTable } from './table.ts'

const SECONDS = 15
const SIGN_INS = 900
/** What a user's pace allows in a minute, so that 40 new devices are no attack by themselves. */
const COOKIES = 40
const GUESSES_EACH = 5

type Options = { from: string; cookie?: string }

export async function attackSignIns({ db, sendroom }: Environment): Promise<void> {
  const people = ['bench-admin', 'bench-member', 'bench-attacker', 'bench-thief']
  for (const name of people) await addUser(db, name)

  async function signIn(username: string, password: string, { from, cookie }: Options) {
    const began = performance.now()
    const answer = await fetch(`${sendroom.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...(cookie && { cookie }) },
      body: JSON.stringify({ username, password }),
    })
    await answer.text()
    const device = answer.headers.getSetCookie().find((one) => one.startsWith('device-'))
    return { status: answer.status, took: performance.now() - began, cookie: device?.split(';')[0] ?? '' }
  }

  /** Signs in as these two, every half second by turns. */
  async function signInCalmly() {
    const answers = []
    for (let nth = 0; nth < SECONDS * 2; nth++) {
      answers.push(signIn(people[nth % 2] ?? '', PASSWORD, { from: `198.51.100.${nth}` }))
      await delay(500)
    }
    return Promise.all(answers)
  }

  async function attack() {
    const answers = []
    for (let nth = 0; nth < SIGN_INS; nth++) {
      answers.push(signIn('bench-attacker', PASSWORD, { from: `203.0.113.${nth % 250}` }))
      await delay((SECONDS * 1000) / SIGN_INS)
    }
    return Promise.all(answers)
  }

  const calm = await signInCalmly()
  const [attacked, attacks] = await Promise.all([signInCalmly(), attack()])
  printTable('Sign-ins of an Admin and a Member on new devices', [
    rowOf('calm', calm),
    rowOf(`while a Member signs in ${SIGN_INS} times`, attacked),
    rowOf('the attacker', attacks),
  ])

  const cookies = []
  for (let nth = 0; nth < COOKIES; nth++)
    cookies.push((await signIn('bench-thief', PASSWORD, { from: '192.0.2.1' })).cookie)
  await db.run(sql`
    update users set password_hash = ${await hashPassword('another 1')} where username = 'bench-thief'`)
  const guesses = await Promise.all(
    cookies.flatMap((cookie) =>
      Array.from({ length: GUESSES_EACH }, (_, n) =>
        signIn('bench-thief', `wrong-${n}`, { from: '192.0.2.1', cookie }),
      ),
    ),
  )
  const checked = guesses.filter(({ status }) => status === 401).length
  console.log(
    `  Of ${guesses.length} guesses with ${COOKIES} cookies after a new password ${checked} were checked`,
  )
}

const PASSWORD = 'of the bench 1'

const addUser = async (db: Pool, name: string) =>
  db.run(sql`
    insert into users (username, email, password_hash, role, is_active)
    values (${name}, ${`${name}@example.com`}, ${await hashPassword(PASSWORD)},
      ${name === 'bench-admin' ? 'Admin' : 'Member'}, true)`)

function rowOf(what: string, answers: { status: number; took: number }[]) {
  const times = answers.map(({ took }) => took).toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  const signedIn = answers.filter(({ status }) => status === 200).length
  return {
    what,
    'p50 ms': at(0.5),
    'p95 ms': at(0.95),
    'signed in': signedIn,
    refused: answers.length - signedIn,
  }
}
