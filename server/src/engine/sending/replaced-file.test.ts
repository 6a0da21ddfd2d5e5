import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { fileOf } from '../../../test/one-byte-file.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { cancelJob, lockWaitingJob, type Replacement, replaceInJob, restartJob } from '../index.ts'

// A job is changed while the provider takes its file.

const context = useEngineContext()
const content = { kind: 'video', fileName: 'a.mp4' } as const

/** Cancels, restarts and changes a job, as a user may while its file is uploaded. */
async function changeRestarted(id: number, change: Replacement) {
  const user = await context.add.user()
  await context.db.begin(async (tx) => {
    await cancelJob(tx, id, 'Ann')
    await restartJob(tx, id, 'Ann')
    const job = await lockWaitingJob(tx, id, change.instanceId)
    if (!job) throw new Error('The job has begun.')
    await replaceInJob(tx, { ...job, id }, user, change)
  })
}

// R-2230
test.each(['file', 'account'])('a job sends nothing of its former %s', async (what) => {
  const { provider, script, calls } = scriptedProvider()
  const [former, latter] = [await context.add.file('video'), await context.add.file('video')]
  const message = { messageId: null, textContent: 'Hi', imageId: null, content, fileId: latter.id }
  const change = what === 'file' ? { message } : { instanceId: (await context.add.instance()).id }
  const { id } = await context.add.job({
    ...{ status: 'Running', recipients: ['1@g.us'], fileId: former.id, textContent: 'Hi' },
    content: JSON.stringify(content),
  })
  script.onUpload = async () => {
    if (calls.uploads === 1) await changeRestarted(id, change)
    return { kind: 'uploaded', mediaId: `media-${calls.uploads}` }
  }
  context.worker(provider, { openMedia: async () => fileOf(new Uint8Array([1])) })

  await context.untilStatus(id, 'Completed')

  expect(calls.sends.map(({ mediaId }) => mediaId)).toEqual(['media-2'])
})
