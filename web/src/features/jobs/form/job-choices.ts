import { limits } from '@sendroom/contract/limits'
import type { Message } from '@sendroom/contract/messages'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import { useAll } from '../../../api/use-all.ts'
import { truncate } from '../../../format.ts'
import { useGroups } from '../../../forms/use-choices.ts'
import { kindWords } from '../../../ui/kind-icon.tsx'

export const PAGE_SIZE = 1000

/** All messages as options, newest first. */
export function useMessages() {
  const { t } = useTranslation()
  const { data, isLoadingError, refetch } = useAll(
    ['messages', 'named'],
    { pageSize: PAGE_SIZE, words: 'JOB.MESSAGES_FAILED' },
    (page, signal) => call('GET /messages', { query: page }, signal),
  )
  const options = useMemo(
    () =>
      data?.map(({ id, textContent, instanceId, content }) => ({
        id,
        instanceId,
        name: `#${id} ${content ? `${t(kindWords(content.kind))}: ` : ''}${truncate(textContent, limits.titleLength)}`,
      })),
    [data, t],
  )
  return { options, hasFailed: isLoadingError, retry: refetch }
}

/** The chosen message, read anew for each choice (no cache). Undefined while none is chosen or it loads. */
export function useChosenMessage(messageId: number): Message | undefined {
  const { data } = useRead(
    'GET /messages/:id',
    { params: { id: messageId } },
    { enabled: messageId !== 0, gcTime: 0, meta: { words: 'MESSAGE.LOAD_FAILED' } },
  )
  return data
}

/** The message's assigned groups that the instance is still in. Undefined while they load. */
export function useAssignedGroups(message: Message | undefined, instanceId: number): number[] | undefined {
  const { data: groups } = useGroups(instanceId, PAGE_SIZE)
  return useMemo(() => {
    if (!message || !groups) return
    const assigned = new Set(message.assignedGroups.map(({ id }) => id))
    return groups.filter(({ id, hasLeft }) => assigned.has(id) && !hasLeft).map(({ id }) => id)
  }, [message, groups])
}
