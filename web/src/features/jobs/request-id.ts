/** Whoever wants the same again after that long wants it sent once more. */
const HOUR_MS = 3_600_000

/** The last job whose answer has not come, or was lost. It outlives the form: one may leave it and come back. */
let unanswered: { content: string; id: string; since: number } | undefined

/** By what a job is asked for: by the same as long as its answer is missing, else everybody might get it twice. */
export function requestIdOf(order: object): string {
  const content = JSON.stringify(order)
  const isSame = unanswered?.content === content && Date.now() - unanswered.since < HOUR_MS
  if (!unanswered || !isSame) unanswered = { content, id: randomId(), since: Date.now() }
  return unanswered.id
}

export function forgetRequest() {
  unanswered = undefined
}

/** A random UUID. `crypto.randomUUID` is missing on pages without HTTPS. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
