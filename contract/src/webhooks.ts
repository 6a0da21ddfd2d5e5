import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const webhooks = {
  whapi: endpoint({
    method: 'POST',
    path: '/webhooks/whapi/:key',
    access: 'public',
    summary: 'Receives receipts and changes from Whapi; Sendroom registers this address itself',
    params: z.object({ key: z.string().max(200) }),
    body: z.unknown(),
    // Whapi counts every status but 200 as a failure.
    response: z.object({ success: z.literal(true) }),
  }),
}
