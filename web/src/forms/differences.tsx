import i18next from 'i18next'
import type { ReactNode } from 'react'
import { enumerated } from '../i18n/punctuation.ts'
import { Name } from '../ui/name.tsx'
import { useGroups, useInstances } from './use-choices.ts'

/** A field that the user and somebody else have filled in differently. */
export type Difference = { label: string; mine: ReactNode; theirs: ReactNode }

/** The difference of a field, or nothing if both values are the same. `label` is a translation key. */
export function differenceOf<T>(
  label: string,
  mine: T,
  theirs: T,
  show: (value: T) => ReactNode = showPlain,
): Difference[] {
  if (JSON.stringify(mine) === JSON.stringify(theirs)) return []
  return [{ label: i18next.t(label), mine: show(mine), theirs: show(theirs) }]
}

const NONE = '—'

function showPlain(value: unknown): ReactNode {
  if (typeof value === 'boolean') return i18next.t(value ? 'COMMON.YES' : 'COMMON.NO')
  return value === null || value === '' ? NONE : <Name>{String(value)}</Name>
}

/** Shows only that there is a password or token. */
export const hideSecret = (secret: string) => (secret === '' ? NONE : '••••••')

/** Sorts ids, because their order is no difference. */
export const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b)

export function InstanceNames({ ids }: { ids: number[] }) {
  return namesOf(useInstances(100).data, ids)
}

export function GroupNames({ instanceId, ids }: { instanceId: number; ids: number[] }) {
  return namesOf(useGroups(instanceId, 100).data, ids)
}

/** The names, or the ids of what the user can't see. */
function namesOf(choices: { id: number; name: string }[] | undefined, ids: number[]): ReactNode {
  if (ids.length === 0) return NONE
  const names = new Map(choices?.map(({ id, name }) => [id, name]))
  return <Name>{enumerated(ids.map((id) => names.get(id) ?? `#${id}`))}</Name>
}
