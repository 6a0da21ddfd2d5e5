import { call } from '../api/client.ts'
import { useAll } from '../api/use-all.ts'

/** The accounts one may use, by name. */
export const useInstances = (pageSize: number, words = 'FORM.INSTANCES_FAILED') =>
  useAll(['instances', 'named'], { pageSize, words }, (page, signal) =>
    call('GET /instances', { query: { ...page, sortBy: 'name', sortDirection: 'asc' } }, signal),
  )
