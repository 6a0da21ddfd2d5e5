import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../server/src/platform/database/sql.ts'
import { hashPassword } from '../../server/src/platform/passwords.ts'
import { type Answer, listed, timed } from './hostile-answers.ts'
import { type Attack, PASSWORD, signIn, type Target } from './hostile-observe.ts'

const SECONDS = 15
const SIGN_INS = 900
/** A user's pace allows so many in a minute, so 40 new devices are no attack by themselves. */
const COOKIES = 40
const GUESSES_EACH = 5

/** An attack of `hostile.ts`: a Member signs in correctly 900 times in 15 s, from many addresses. */
export async function signInAttack({ environment, take }: Target): Promise<Attack> {
  const { url } = environment.sendroom
  const [name = ''] = take(1)
  const run = async () => {
    const answers: Promise<Answer>[] = []
    for (let nth = 0; nth < SIGN_INS; nth++) {
      answers.push(timed(signIn(url, name, PASSWORD, `203.0.113.${nth % 250}`)))
      await delay((SECONDS * 1000) / SIGN_INS)
    }
    return listed(await Promise.all(answers))
  }
  return { what: `${SIGN_INS} sign-ins`, seconds: SECONDS, run }
}

/** An attack of `hostile.ts`: 200 guesses of a password that was reset, with 40 device cookies of the former one. */
export async function guessAttack({ environment, take }: Target): Promise<Attack> {
  const { db, sendroom } = environment
  const [name = ''] = take(1)
  const cookies: string[] = []
  for (let nth = 0; nth < COOKIES; nth++) {
    const answer = await signIn(sendroom.url, name, PASSWORD, '192.0.2.1')
    const device = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('device-'))
    cookies.push(device?.split(';')[0] ?? '')
  }
  await db.run(sql`
    update users set password_hash = ${await hashPassword('another 1')} where username = ${name}`)
  const guess = (cookie: string, nth: number) =>
    timed(signIn(sendroom.url, name, `wrong-${nth}`, '192.0.2.1', cookie))
  const run = async () => {
    const guesses = cookies.flatMap((cookie) =>
      Array.from({ length: GUESSES_EACH }, (_, nth) => guess(cookie, nth)),
    )
    return `${listed(await Promise.all(guesses))} (401: the guess was checked)`
  }
  return { what: `${COOKIES * GUESSES_EACH} guesses, ${COOKIES} cookies`, seconds: SECONDS, run }
}
