import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'

/** The fields that contacts have, in their order. */
export const useContactFields = () =>
  useQuery({
    queryKey: ['contact-fields'],
    queryFn: async ({ signal }) => (await call('GET /contact-fields', {}, signal)).fields,
  })
