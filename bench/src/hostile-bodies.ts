import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Attack, Target } from './hostile-observe.ts'

const ATTACKS = 5

/** An attack of `hostile.ts`: a Member sends 24 nested bodies and five previews of 4 MB at once, five times. */
export async function bodyAttack({ environment, attacked, take }: Target): Promise<Attack> {
  const [token] = take(1)
  const workerData = { url: environment.sendroom.url, token, instanceId: attacked, attacks: ATTACKS }
  const run = async () => {
    // A thread of its own, so that its work does not delay the calls that are measured.
    const attacker = new Worker(new URL('./hostile-bodies-attacker.ts', import.meta.url), { workerData })
    const [answers] = await once(attacker, 'message')
    return answers
  }
  return { what: 'large bodies', seconds: 15, run }
}
