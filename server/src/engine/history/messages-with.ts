import type { JobContent } from '../shared/job-content.ts'
import { contentKeysOfJob } from '../shared/same-message.ts'
import type { History, ListedMessage } from './match.ts'

/** The messages of the history with the content of a job, or of one of its recipients. */
export const messagesWith = (history: History, job: JobContent & { text: string }): ListedMessage[] => [
  ...new Map(contentKeysOfJob(job).flatMap((key) => [...(history.get(key) ?? [])])).values(),
]
