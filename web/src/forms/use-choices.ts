import type { InstanceRow } from '@sendroom/contract/instances'
import { call } from '../api/client.ts'
import { useAll } from '../api/use-all.ts'

/** All instances that the user may use, by name. `words` is the translation key of a failure's toast. */
export const useInstances = (
  pageSize: number,
  words = 'FORM.INSTANCES_FAILED',
  pollEvery: (rows: InstanceRow[]) => number | false = () => false,
) =>
  useAll(['instances', 'named'], { pageSize, words, pollEvery }, (page, signal) =>
    call('GET /instances', { query: { ...page, sortBy: 'name', sortDirection: 'asc' } }, signal),
  )

/** All groups of an instance, by name. Reads nothing for the instance 0, which stands for none. */
export const useGroups = (instanceId: number, pageSize: number) =>
  useAll(
    ['groups', 'of', instanceId],
    { pageSize, words: 'FORM.GROUPS_FAILED', enabled: instanceId !== 0 },
    (page, signal) =>
      call(
        'POST /groups/search',
        { body: { ...page, sortBy: 'name', sortDirection: 'asc', instanceIds: [instanceId] } },
        signal,
      ),
  )
