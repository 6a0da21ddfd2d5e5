import type { Message } from '@sendroom/contract/messages'
import { useEffect, useRef } from 'react'
import { useOnlyInstance } from '../../../forms/instance-select.tsx'
import { PAGE_SIZE, useAssignedGroups } from './job-choices.ts'
import type { Values } from './new-job-values.ts'

type Preset = <K extends 'isWritten' | 'instanceId'>(field: K, value: Values[K]) => void

/** Chooses what leaves no other choice: the only account, and writing a message if none is saved yet. */
export function usePresets(preset: Preset, instanceId: number, isFirstMessage: boolean): void {
  // Once, so that the user can look at the empty choice of saved messages.
  const isPreset = useRef(false)
  useEffect(() => {
    if (!isFirstMessage || isPreset.current) return
    isPreset.current = true
    preset('isWritten', true)
  }, [isFirstMessage, preset])
  const only = useOnlyInstance(PAGE_SIZE)
  useEffect(() => {
    if (only !== undefined && instanceId === 0) preset('instanceId', only)
  }, [only, instanceId, preset])
}

type Chosen = {
  message: Message | undefined
  messageId: number
  instanceId: number
  groupIds: number[]
  setGroups: (ids: number[]) => void
}

/** Preselects the groups of the chosen message. `pick` sets groups that the user picks, `forget` undoes that. */
export function usePreselectedGroups({ message, messageId, instanceId, groupIds, setGroups }: Chosen) {
  const assigned = useAssignedGroups(message, instanceId)
  // A form restored after a sign-in may already have picked groups.
  const isPicked = useRef(groupIds.length > 0)
  const choice = `${messageId} ${instanceId}`
  const preselectedFor = useRef(isPicked.current ? choice : '')
  useEffect(() => {
    // Preselects once per choice: a background refresh of the groups must not undo what the user picked since.
    if (!assigned || preselectedFor.current === choice) return
    preselectedFor.current = choice
    // A message without groups keeps groups picked by hand, but not those preselected by another message.
    if (assigned.length > 0) isPicked.current = false
    // Setting none where there are none would mark the untouched field as empty.
    if (!isPicked.current && assigned.length + groupIds.length > 0) setGroups(assigned)
  }, [assigned, choice, groupIds, setGroups])
  return {
    pick(ids: number[]) {
      isPicked.current = true
      // Marks the preselection as done, in case the message is still being read.
      preselectedFor.current = choice
      setGroups(ids)
    },
    forget() {
      isPicked.current = false
    },
  }
}
