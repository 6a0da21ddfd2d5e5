import { isUnfinished } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../api/client.ts'
import { usePolling } from '../../../api/event-stream.ts'

const POLL_MS = 1500
/** For changes that only time causes and no event reports, such as the rate or the start of quiet hours. */
const EVENTLESS_REFRESH_MS = 15_000

/** Reads a job, and from then on only what changed of it: a large job's answer has a thousand recipients. */
export function useJob(id: number, { enabled }: { enabled: boolean }) {
  const polling = usePolling()
  const queryKey = ['jobs', 'GET /jobs/:id', { params: { id } }]
  return useQuery<Job>({
    queryKey,
    queryFn: ({ signal, client }) => {
      const known = client.getQueryData<Job>(queryKey)
      return known ? readChanges(known, signal) : readJob(id, signal)
    },
    enabled,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isUnfinished(state.data) && (polling(POLL_MS) || EVENTLESS_REFRESH_MS),
    meta: { isQuiet: true },
  })
}

const readJob = (id: number, signal: AbortSignal) => call('GET /jobs/:id', { params: { id } }, signal)

async function readChanges(known: Job, signal: AbortSignal): Promise<Job> {
  const query = { afterLog: known.logs[0]?.id ?? 0 }
  const changes = await call('GET /jobs/:id/changes', { params: { id: known.id }, query }, signal)
  // A restart has cleared the log, and a change by a form may have changed the text and the recipients.
  if (changes.run !== known.run || changes.version !== known.version) return readJob(known.id, signal)
  return { ...known, ...changes, logs: [...changes.logs, ...known.logs].slice(0, limits.jobDetailRows) }
}
