import type { Series } from '@sendroom/contract/series'
import type { Named } from '@sendroom/contract/values'
import { changesOf, type Entry } from '../../platform/audit.ts'

/** The audit log keeps this of a series: not the numbers and contacts in it, since the log can't be changed. */
export const settingsOf = (series: Series) => ({
  name: series.name,
  instance: series.instance.name,
  jobType: series.jobType,
  rule: series.rule,
  messages: series.messages.map(({ textContent }) => textContent),
  groups: series.groups.map(({ name }) => name),
  contacts: series.contactIds.length,
  groupSets: series.groupSets.map(({ name }) => name),
  lists: series.lists.map(({ name }) => name),
  excludedLists: series.excludedLists.map(({ name }) => name),
  isFrozen: series.isFrozen,
  quietDays: series.quietDays,
  quietPolicy: series.quietPolicy,
  overlap: series.overlap,
  author: series.authorName,
})

export function differing(before: Series, after: Series) {
  const [former, present] = [settingsOf(before), settingsOf(after)]
  const fields = (['phoneNumbers', 'contactIds'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  return {
    changes: changesOf(former, present, Object.keys(present) as (keyof typeof present)[]),
    ...(fields.length > 0 && { fields }),
  }
}

export const entryOf = (action: Entry['action'], { id, name }: Named, details: object = {}): Entry => ({
  action,
  object: { type: 'series', id, name },
  details: { ...details },
})
