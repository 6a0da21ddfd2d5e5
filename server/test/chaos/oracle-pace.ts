import type { Evidence } from './evidence.ts'
import type { StoryLine } from './instruments.ts'
import { told } from './words.ts'

/** What an account is allowed: its pace, its cap, its quiet hours, its troubles. */
export const paceRules: ((evidence: Evidence) => string[])[] = [
  paceHolds,
  capHolds,
  quietHoursHold,
  nothingWhileItWaits,
  guardHolds,
  restrictionHolds,
]

const kindOf = (chatId: string | null) => (chatId?.endsWith('@g.us') ? 'group' : 'private')
const isIntent = (line: StoryLine) => line.what === 'delivery' && line.became === 'sending'
const linesOf = (story: StoryLine[], instanceId: number) =>
  story.filter((line) => line.instanceId === instanceId)

function paceHolds({ story, accounts }: Evidence) {
  return accounts
    .filter(({ plan }) => plan.pauseMs.group > 0 || plan.pauseMs.private > 0)
    .flatMap(({ id, plan }) => {
      const begun = linesOf(story, id).filter(isIntent)
      return begun.slice(1).flatMap((line, index) => {
        const before = begun[index]
        if (!before) return []
        // A clock that was set back says less than has passed, one that was set forward more.
        const pauseMs = Math.max(Date.parse(line.at) - Date.parse(before.at), line.trueMs - before.trueMs)
        return pauseMs < plan.pauseMs[kindOf(before.chatId)]
          ? [`A pause of ${pauseMs} ms: ${told([before, line])}`]
          : []
      })
    })
}

const DAY_MS = 24 * 3600_000

/** In no 24 hours more than the cap; those that went out count, from when they began. */
function capHolds({ story, accounts }: Evidence) {
  return accounts
    .filter(({ plan }) => plan.cap > 0)
    .flatMap(({ id, plan }) => {
      const lines = linesOf(story, id)
      return (['group', 'private'] as const).flatMap((kind) => {
        const counted = lines.filter(
          (line, place) =>
            isIntent(line) && kindOf(line.chatId) === kind && wentOut(line, lines.slice(place + 1)),
        )
        const times = counted.map(({ at }) => Date.parse(at))
        const isOver = times.some(
          (time) => times.filter((at) => at >= time && at < time + DAY_MS).length > plan.cap,
        )
        return isOver ? [`More than ${plan.cap} in a day: ${told(counted)}`] : []
      })
    })
}

/** Whether this attempt, and not a later one, ended as Sent. */
function wentOut(intent: StoryLine, after: StoryLine[]): boolean {
  for (const line of after) {
    if (line.what !== 'delivery' || line.deliveryId !== intent.deliveryId) continue
    if (line.became === 'sent') return true
    if (line.became !== 'doubt') return false
  }
  return false
}

/** Reckoned anew, from what a clock on the wall there shows. */
function quietHoursHold({ story, accounts }: Evidence) {
  return accounts.flatMap(({ id, quietFrom, quietTo, timeZone }) => {
    if (quietFrom === null || quietTo === null) return []
    const wall = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' })
    const isQuiet = (at: string) => {
      const time = wall.format(Date.parse(at))
      return quietFrom < quietTo ? time >= quietFrom && time < quietTo : time >= quietFrom || time < quietTo
    }
    const begun = linesOf(story, id).filter((line) => isIntent(line) && isQuiet(line.at))
    return begun.length > 0
      ? [`Begun between ${quietFrom} and ${quietTo} in ${timeZone}: ${told(begun)}`]
      : []
  })
}

/** In trouble, or after ten failures, until it is well or a person lets it go on. */
function nothingWhileItWaits({ story }: Evidence) {
  const waiting = new Map<number, string | null>()
  return story.flatMap((line) => {
    if (line.what === 'waiting') waiting.set(line.instanceId, line.became)
    const why = waiting.get(line.instanceId)
    return isIntent(line) && why ? [`Begun while the account waits for ${why}: ${told([line])}`] : []
  })
}

const GUARD = 10

/** No more refusals in a row than that, without a person in between. */
function guardHolds({ story }: Evidence) {
  const inARow = new Map<number, number>()
  return story.flatMap((line) => {
    const { what, was, became, instanceId } = line
    if (became === 'sent' || isRelease(line)) inARow.set(instanceId, 0)
    if (what !== 'delivery' || was !== 'sending' || became !== 'failed') return []
    const failures = (inARow.get(instanceId) ?? 0) + 1
    inARow.set(instanceId, failures)
    return failures > GUARD ? [`The ${failures}th failure in a row: ${told([line])}`] : []
  })
}

/** A person looked into the account, whatever it waited for. */
const isRelease = ({ who, what, became }: StoryLine) =>
  who === 'office' && (what === 'waiting' || what === 'restricted') && became === null

/** To people only when the restriction that is known is over. */
function restrictionHolds({ story }: Evidence) {
  const until = new Map<number, string | null>()
  return story.flatMap((line) => {
    if (line.what === 'restricted') until.set(line.instanceId, line.became)
    const end = until.get(line.instanceId)
    const isTooEarly = end && Date.parse(line.at) < Date.parse(end) && kindOf(line.chatId) === 'private'
    return isIntent(line) && isTooEarly ? [`Begun before ${end}: ${told([line])}`] : []
  })
}
