import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '@sendroom/contract'
import type { HttpClient } from './http-client.ts'
import { phoneNumbers } from './system/scenario.ts'

/** The answers that the clients got. Every answer but a success is in `failures`, with how often it came. */
export type LoadFigures = {
  requests: number
  failures: Record<string, number>
  /** In ms. */
  median: number
  p99: number
  longest: number
}

/** The mean time between two requests of a client, as of a person who works fast. */
const PAUSE_MS = 3000

/** Lets each client read and write as pages do, one request after another. */
export async function runMixedLoad(
  clients: HttpClient[],
  { instanceId, jobId, seconds }: { instanceId: number; jobId: number; seconds: number },
): Promise<LoadFigures> {
  const end = performance.now() + seconds * 1000
  const durations: number[] = []
  const failures: Record<string, number> = {}

  async function work(client: HttpClient, nth: number) {
    const actions = actionsOf(client, instanceId, jobId)
    for (let turn = nth; performance.now() < end; turn++) {
      await delay(PAUSE_MS * (0.5 + Math.random()))
      const [name, action] = actions[turn % actions.length] ?? ['', async () => 0]
      const begin = performance.now()
      const outcome = await action(turn).catch((error) => String(error))
      durations.push(performance.now() - begin)
      if (typeof outcome === 'number' && outcome < 400) continue
      failures[`${name}: ${outcome}`] = (failures[`${name}: ${outcome}`] ?? 0) + 1
    }
  }

  await Promise.all(clients.map(work))
  durations.sort((a, b) => a - b)
  const at = (part: number) => Math.round(durations[Math.floor((durations.length - 1) * part)] ?? 0)
  return { requests: durations.length, failures, median: at(0.5), p99: at(0.99), longest: at(1) }
}

type Action = (turn: number) => Promise<number>

function actionsOf(client: HttpClient, instanceId: number, jobId: number): [string, Action][] {
  const params = { id: jobId }
  const numbers = phoneNumbers(3).join(',')
  const statusOf = (answer: Promise<{ status: number }>) => answer.then(({ status }) => status)
  let messageId = 0
  return [
    ['list jobs', () => statusOf(client.call(contract.jobs.list, {}))],
    ['read the job', () => statusOf(client.call(contract.jobs.get, { params }))],
    ['read its recipients', () => statusOf(client.call(contract.jobs.recipients, { params }))],
    ['read the dashboard', () => statusOf(client.call(contract.dashboard.stats, {}))],
    ['search groups', () => statusOf(client.call(contract.groups.search, { body: {} }))],
    [
      'create a message',
      async (turn) => {
        const { status, body } = await client.call(contract.messages.create, {
          body: { textContent: `Hello ${turn}` },
        })
        messageId = body.id
        return status
      },
    ],
    ['list messages', () => statusOf(client.call(contract.messages.list, { query: { search: 'hello' } }))],
    [
      'preview a job',
      () =>
        statusOf(
          client.call(contract.jobs.preview, {
            body: { jobType: 'SendToUsers', instanceId, phoneNumbers: numbers },
          }),
        ),
    ],
    [
      'change the message',
      (turn) =>
        messageId === 0
          ? Promise.resolve(200)
          : statusOf(
              client.call(contract.messages.update, {
                params: { id: messageId },
                body: { textContent: `Changed ${turn}` },
              }),
            ),
    ],
    [
      'delete the message',
      () => {
        const params = { id: messageId }
        messageId = 0
        return params.id === 0
          ? Promise.resolve(200)
          : statusOf(client.call(contract.messages.remove, { params }))
      },
    ],
    ['ask who I am', () => statusOf(client.call(contract.session.me, {}))],
  ]
}
