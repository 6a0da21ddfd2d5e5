import { type RepeatLog, repeat } from '../../platform/repeat.ts'
import { type Deps, sendDueEmails } from './emails.ts'
import { lookForTroubles } from './watch.ts'

export { deleteOldNotices } from './watch.ts'

/** A notice leaves after at most two looks, since the second one announces the trouble, and one round of emails. */
export const LOOK_EVERY_MS = 15_000
export const SEND_EVERY_MS = 5_000

/** Looks for troubles and tells users of them. Returns a function that stops this. */
export function startNotices(deps: Deps & { log: RepeatLog }): () => Promise<unknown> {
  const { db, config, log } = deps
  const stopping = new AbortController()
  const look = () => lookForTroubles(db, { hasMail: config.mail !== null })
  const send = () => sendDueEmails(deps, stopping.signal)
  const stops = [
    repeat(LOOK_EVERY_MS, look, log, 'Could not look for troubles'),
    repeat(SEND_EVERY_MS, send, log, 'Could not read the due emails'),
  ]
  return () => {
    stopping.abort()
    return Promise.all(stops.map((stop) => stop()))
  }
}
