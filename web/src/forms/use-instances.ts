import type { InstanceRow } from '@sendroom/contract/instances'
import { call } from '../api/client.ts'
import { useAll } from '../api/use-all.ts'

/** The accounts one may use, by name. */
export const useInstances = (
  pageSize: number,
  words = 'FORM.INSTANCES_FAILED',
  pollEvery: (rows: InstanceRow[]) => number | false = () => false,
) =>
  useAll(['instances', 'named'], { pageSize, words, pollEvery }, (page, signal) =>
    call('GET /instances', { query: { ...page, sortBy: 'name', sortDirection: 'asc' } }, signal),
  )
