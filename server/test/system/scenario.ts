import { contract } from '@sendroom/contract'
import type { Input, Output } from '@sendroom/contract/endpoint'
import { expect } from 'vitest'
import { png } from '../../../simulator/test/client.ts'
import type { HttpClient } from '../http-client.ts'
import { until } from '../until.ts'

type Job = Output<typeof contract.jobs.get>
type NewJob = Omit<Exclude<Input<typeof contract.jobs.create>['body'], FormData>, 'messageId'>

/** Adds an instance. With a token of the test mode, it has no pauses. */
export async function addInstance(admin: HttpClient, token: string): Promise<number> {
  const body = { name: token, whapiToken: token }
  return (await admin.ask(contract.instances.create, { body })).id
}

/** Syncs the instance's groups and returns them. */
export async function syncGroups(admin: HttpClient, instanceId: number) {
  const params = { id: instanceId }
  await admin.ask(contract.instances.sync, { params })
  await until(
    'the groups are synced',
    async () => (await admin.ask(contract.instances.get, { params })).lastSyncAt,
  )
  const body = { instanceIds: [instanceId], kind: 'group', pageSize: 1000 }
  const { data } = await admin.ask(contract.groups.search, { body })
  return data
}

/** Creates a message and a job that sends it. Returns the job's id. */
export async function createJob(
  admin: HttpClient,
  { text, withImage = false, ...job }: NewJob & { text: string; withImage?: boolean },
): Promise<number> {
  const form = new FormData()
  form.set('textContent', text)
  if (withImage) form.set('imageFile', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'dot.png')
  const message = await admin.ask(contract.messages.createWithFile, { body: form })
  const created = await admin.ask(contract.jobs.create, { body: { ...job, messageId: message.id } })
  return created.id
}

export const readJob = (admin: HttpClient, id: number): Promise<Job> =>
  admin.ask(contract.jobs.get, { params: { id } })

/** Waits until the job has ended in any way. An answer of 503 means to try again later. */
export const untilEnded = (admin: HttpClient, id: number, withinMs: number): Promise<Job> =>
  until(
    `job ${id} ends`,
    async () => {
      const { status, body: job } = await admin.call(contract.jobs.get, { params: { id } })
      expect([200, 503]).toContain(status)
      return status === 200 && job.status !== 'Pending' && job.status !== 'Running' && (job as Job)
    },
    withinMs,
  )

/** Vietnamese mobile numbers. For the simulator, they are on WhatsApp, because none ends in 0000. */
export const phoneNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `84901${String(index + 1).padStart(6, '0')}`)

/** The chat ids of these numbers. */
export const chatsOf = (numbers: string[]): string[] => numbers.map((number) => `${number}@s.whatsapp.net`)

/** The counts of a job that has sent to all of its recipients. */
export const allSent = (total: number) => ({ total, waiting: 0, sent: total, failed: 0, skipped: 0 })
