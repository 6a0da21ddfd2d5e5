/**
 * An attack for `hostile.ts`: a Member has a hundred searches at once, for some seconds. Another Member lists jobs
 * meanwhile. Returns the times of those lists in ms, ascending, and how often each status was answered to the attacker.
 */

import { setTimeout as delay } from 'node:timers/promises'

const AT_ONCE = 100

type Users = { url: string; attacker: string; other: string; seconds: number }

export async function searchAtOnce({ url, attacker, other, seconds }: Users) {
  const statuses = new Map<number, number>()
  const end = performance.now() + seconds * 1000
  const get = async (path: string, token: string) => {
    const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${token}` } })
    await answer.text()
    return answer.status
  }
  const search = async () => {
    while (performance.now() < end) {
      const status = await get(`/jobs?search=${Math.random().toString(36).slice(2)}`, attacker)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Another search than that would meet the limit of requests, which is not what is measured here.
      await delay(AT_ONCE * 50)
    }
  }
  const times: number[] = []
  const list = async () => {
    for (; performance.now() < end; await delay(200)) {
      const began = performance.now()
      await get('/jobs', other)
      times.push(performance.now() - began)
    }
  }
  await Promise.all([list(), ...Array.from({ length: AT_ONCE }, search)])
  return { statuses, times: times.sort((a, b) => a - b) }
}
