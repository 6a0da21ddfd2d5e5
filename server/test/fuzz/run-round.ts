import { Agent } from 'node:http'
import * as fc from 'fast-check'
import { mistakesOf } from './check-answer.ts'
import type { Environment } from './environment.ts'
import { createFixture } from './fixture.ts'
import { describe, type FuzzRequest, requestsTo } from './requests.ts'
import { addAnswer, emptyResult, mayBeSlow, type Result, SLOW_MS } from './result.ts'
import { send } from './send.ts'

/** Requests at once. */
const LANES = 4

/** Sends requests that this seed draws, several at once, and checks each answer. */
export async function runRound(environment: Environment, seed: number, count: number): Promise<Result> {
  const { db, secrets, operations, server } = environment
  const fixture = await createFixture(db, secrets)
  const requests = fc.sample(requestsTo(operations, fixture), { seed, numRuns: count })
  const result = emptyResult()
  const slow: { fuzz: FuzzRequest; ms: number }[] = []
  const agent = new Agent({ keepAlive: true })
  const check = async (fuzz: FuzzRequest, lane: Agent) => {
    const answer = await send(server.url, lane, { ...fuzz, method: fuzz.operation.method })
    addAnswer(result, fuzz, answer)
    for (const mistake of mistakesOf(fuzz, answer, fixture))
      result.violations.push(`${mistake}: ${answer.status} ${answer.text.slice(0, 300)}\n  ${describe(fuzz)}`)
    if (answer.ms > SLOW_MS && !mayBeSlow(fuzz.operation.name)) slow.push({ fuzz, ms: answer.ms })
  }
  const left = requests.entries()
  const runLane = async () => {
    // The second request of a pair gets the connection of the first, unless the server closes it.
    const lane = new Agent({ keepAlive: true, maxSockets: 1 })
    for (const [index, fuzz] of left) {
      await check(fuzz, lane).catch(async (error: Error) => {
        if (!(await isGone(server.url, agent, fuzz)))
          result.violations.push(`No answer (${error.message}): ${describe(fuzz)}`)
      })
      if (index % 2 === 0) await checkNext(server.url, lane, fuzz, result)
    }
    lane.destroy()
  }
  await Promise.all(Array.from({ length: LANES }, runLane))
  for (const { fuzz, ms } of slow)
    result.slow.push({ request: describe(fuzz), ms, aloneMs: await timeAlone(server.url, agent, fuzz) })
  agent.destroy()
  return result
}

/** A download is broken off when its object is deleted or hidden meanwhile. From then on it is refused. */
async function isGone(base: string, agent: Agent, fuzz: FuzzRequest): Promise<boolean> {
  if (!fuzz.operation.name.includes('/export')) return false
  const { status } = await send(base, agent, { ...fuzz, method: fuzz.operation.method })
  return [401, 403, 404].includes(status)
}

/** A request must not hold up or break the next one on its connection. */
async function checkNext(base: string, lane: Agent, before: FuzzRequest, result: Result) {
  const health = { method: 'GET', url: '/api/health', headers: {}, payload: null }
  const status = await send(base, lane, health).then(
    (answer) => answer.status,
    (error: Error) => error.message,
  )
  if (status !== 200) result.violations.push(`The next request got ${status}, after ${describe(before)}`)
}

/** The least time of three repetitions, while nothing else is asked: what else the machine does must not count. */
async function timeAlone(base: string, agent: Agent, fuzz: FuzzRequest): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 3; n++)
    times.push((await send(base, agent, { ...fuzz, method: fuzz.operation.method })).ms)
  return Math.min(...times)
}
