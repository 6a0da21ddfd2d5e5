import type { DatabaseAddress } from '../../src/database-url.ts'
import { HttpClient } from '../http-client.ts'
import { Installation, type Program, startSimulatorProcess } from '../process.ts'
import { addInstance, allSent, createJob, phoneNumbers, syncGroups, untilEnded } from '../system/scenario.ts'
import { until } from '../until.ts'
import { urlOf } from '../url-of.ts'
import { LoadBalancer } from './load-balancer.ts'
import { checkOutPreviousProgram, hasPreviousProgram, PREVIOUS_COMMIT } from './previous-program.ts'
import { Visitors } from './visitors.ts'

type Simulator = Awaited<ReturnType<typeof startSimulatorProcess>>
/** A job that sends `text` from the instance with `token` to `recipients` chats. */
type StartedJob = { id: number; text: string; token: string; recipients: number }

const SERVERS = 2
const WORKERS = 3
const TOKENS = ['test_linked_a', 'test_linked_b', 'test_linked_c', 'test_linked_d']
const GROUPS = 60
/** At first the jobs would last this long, much longer than all replacements. After those, the rest is sent fast. */
const JOBS_LAST_MS = 120_000
/** This share of the messages is sent before each replacement. */
const SHARE_BETWEEN = 1 / 50
/** On a busy machine an answer may take long. */
const PATIENCE_MS = 60_000

/**
 * Replaces two servers and three workers one by one while jobs with that many recipients run and users work. Those that
 * are replaced are of the version before, if git has it. Returns what was wrong, and figures.
 */
export async function replaceAll(address: DatabaseAddress, recipients: number) {
  const began = performance.now()
  using previous = hasPreviousProgram() ? checkOutPreviousProgram() : undefined
  await using home = await Installation.create()
  await using simulator = await startSimulatorProcess(home.dataDir)
  using balancer = await LoadBalancer.open()
  const env = { DATABASE_URL: urlOf(address), TEST_PROVIDER_URL: simulator.url }
  const fleet = new Fleet(home, env, balancer, simulator)
  await fleet.start(previous?.root)
  const admin = await fleet.signIn()

  await simulator.setLatency((JOBS_LAST_MS * TOKENS.length) / recipients)
  const jobs = await startMix(admin, recipients)
  const visitors = new Visitors(admin)
  await fleet.replaceOneByOne(recipients)
  const sentWhenReplaced = (await simulator.ledger()).length
  await simulator.setLatency(0)
  const wrongJobs: string[] = []
  for (const job of jobs) wrongJobs.push(...(await findWrongCounts(admin, job)))
  await visitors.leave()

  const violations = [
    ...visitors.failures.map((failure) => `A request failed: ${failure}`),
    ...wrongJobs,
    ...findWrongMessages(await simulator.ledger(), jobs),
    ...(await fleet.stop()),
    ...(sentWhenReplaced < recipients ? [] : ['The jobs ended before all processes were replaced']),
  ]
  const { requests, streams } = visitors
  const seconds = Math.round((performance.now() - began) / 1000)
  const from = previous ? PREVIOUS_COMMIT : 'the same version'
  return { violations, figures: { from, recipients, sentWhenReplaced, requests, streams, seconds } }
}

/** The servers behind the balancer, and the workers. */
class Fleet {
  readonly #home: Installation
  readonly #env: Record<string, string>
  readonly #balancer: LoadBalancer
  readonly #simulator: Simulator
  readonly #servers: Program[] = []
  readonly #workers: Program[] = []
  readonly #violations: string[] = []

  constructor(home: Installation, env: Record<string, string>, balancer: LoadBalancer, simulator: Simulator) {
    this.#home = home
    this.#env = env
    this.#balancer = balancer
    this.#simulator = simulator
  }

  async start(root?: string) {
    for (let slot = 0; slot < SERVERS; slot++) await this.#startServer(slot, root)
    for (let slot = 0; slot < WORKERS; slot++) this.#startWorker(slot, root)
  }

  async signIn(): Promise<HttpClient> {
    const { url } = this.#balancer
    const { token } = await this.#home.signIn({ url })
    return new HttpClient(url, token, PATIENCE_MS)
  }

  /** Each mixture of old and new processes sends messages. */
  async replaceOneByOne(recipients: number) {
    const replacements = [
      () => this.#replaceServer(0),
      () => this.#replaceWorker(0),
      () => this.#replaceServer(1),
      () => this.#replaceWorker(1),
      () => this.#replaceWorker(2),
    ]
    const countSent = async () => (await this.#simulator.ledger()).length
    for (const replace of replacements) {
      const due = (await countSent()) + recipients * SHARE_BETWEEN
      await until(`${due} messages are sent`, async () => (await countSent()) >= due, 300_000)
      await replace()
    }
  }

  async stop(): Promise<string[]> {
    for (const program of [...this.#servers, ...this.#workers]) await this.#end(program)
    return this.#violations
  }

  async #startServer(slot: number, root?: string) {
    const server = await this.#home.start(['server'], this.#env, root)
    await this.#balancer.use(slot, server.url)
    this.#servers[slot] = server
  }

  #startWorker(slot: number, root?: string) {
    this.#workers[slot] = this.#home.launch(['worker'], this.#env, root)
  }

  async #replaceServer(slot: number) {
    await this.#end(this.#servers[slot])
    await this.#startServer(slot)
  }

  async #replaceWorker(slot: number) {
    await this.#end(this.#workers[slot])
    this.#startWorker(slot)
  }

  async #end(program: Program | undefined) {
    const code = await program?.end('SIGTERM')
    if (code !== 0 || program?.stderr !== '')
      this.#violations.push(`A process ended with ${code}: ${program?.stderr}`)
  }
}

/** Three jobs for each instance: to groups, and to numbers with and without an image. */
async function startMix(admin: HttpClient, recipients: number): Promise<StartedJob[]> {
  const perInstance = recipients / TOKENS.length
  const jobs = TOKENS.map(async (token) => {
    const instanceId = await addInstance(admin, token)
    const start = async (
      text: string,
      recipients: number,
      job: Partial<Parameters<typeof createJob>[1]>,
    ) => ({
      id: await createJob(admin, { text, instanceId, jobType: 'SendToUsers', ...job }),
      ...{ text, token, recipients },
    })
    // Groups without a number in their name are special cases of the simulator, and some of them refuse messages.
    const groups = (await syncGroups(admin, instanceId))
      .filter(({ name }) => / \d+$/.test(name))
      .slice(0, GROUPS)
    const numbers = phoneNumbers((perInstance - groups.length) / 2)
    return [
      await start('groups', groups.length, { jobType: 'SendToGroups', groupIds: groups.map(({ id }) => id) }),
      await start('image', numbers.length, { withImage: true, phoneNumbers: numbers.join() }),
      await start('text', numbers.length, { phoneNumbers: numbers.join() }),
    ]
  })
  return (await Promise.all(jobs)).flat()
}

async function findWrongCounts(admin: HttpClient, { id, recipients }: StartedJob): Promise<string[]> {
  const job = await untilEnded(admin, id, 300_000)
  const expected = Object.entries(allSent(recipients))
  const isRight = expected.every(
    ([name, count]) => job.recipients[name as keyof typeof job.recipients] === count,
  )
  return isRight ? [] : [`Job ${id} has the counts ${JSON.stringify(job.recipients)}`]
}

type Ledger = Awaited<ReturnType<Simulator['ledger']>>

/** Each message must have gone to another chat, and as many of them as the job has recipients. */
function findWrongMessages(ledger: Ledger, jobs: StartedJob[]): string[] {
  const ordered = jobs.reduce((sum, { recipients }) => sum + recipients, 0)
  const wrong = jobs.map(({ text, token, recipients }) => {
    const chats = ledger
      .filter((entry) => entry.token === token && (entry.body ?? entry.caption) === text)
      .map(({ to }) => to)
    const distinct = new Set(chats).size
    if (chats.length === recipients && distinct === recipients) return []
    return [`${token} sent '${text}' ${chats.length} times to ${distinct} of ${recipients} chats`]
  })
  return [
    ...wrong.flat(),
    ...(ledger.length === ordered ? [] : [`${ledger.length} messages went out instead of ${ordered}`]),
  ]
}
