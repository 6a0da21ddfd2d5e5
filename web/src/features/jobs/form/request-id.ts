/** After an hour, an identical job is meant to be sent again. */
const HOUR_MS = 3_600_000

/** The last job without an answer. Kept outside of the form, because the user may leave the form and come back. */
let unanswered: { content: string; id: string; since: number } | undefined

/** The idempotency key for a job. Reused until the server answers, so that a retry can't send twice. */
export function requestIdOf(job: object): string {
  const content = JSON.stringify(job)
  const isSame = unanswered?.content === content && Date.now() - unanswered.since < HOUR_MS
  if (!unanswered || !isSame) unanswered = { content, id: randomId(), since: Date.now() }
  return unanswered.id
}

export function forgetRequest() {
  unanswered = undefined
}

/** A random UUID (version 4). `crypto.randomUUID` is missing on pages without HTTPS. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
