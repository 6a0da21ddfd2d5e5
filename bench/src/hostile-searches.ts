import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, listed, timed } from './hostile-answers.ts'
import type { Attack, Target } from './hostile-observe.ts'

const SECONDS = 15
const AT_ONCE = 100

/** An attack of `hostile.ts`: a Member has a hundred searches at once. */
export async function searchAttack({ environment, take }: Target): Promise<Attack> {
  const { url } = environment.sendroom
  const headers = { authorization: `Bearer ${take(1)[0]}` }
  const run = async () => {
    const end = performance.now() + SECONDS * 1000
    const answers: Answer[] = []
    const search = async () => {
      while (performance.now() < end) {
        const words = Math.random().toString(36).slice(2)
        answers.push(await timed(fetch(`${url}/api/jobs?search=${words}`, { headers })))
        // More searches would meet the limit of requests, which is not what is measured here.
        await delay(AT_ONCE * 50)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, search))
    return listed(answers)
  }
  return { what: `${AT_ONCE} searches at once`, seconds: SECONDS, run }
}
