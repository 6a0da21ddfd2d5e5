import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const webhooks = {
  whapi: endpoint({
    method: 'POST',
    path: '/webhooks/whapi/:key',
    access: 'public',
    summary: 'Where Whapi tells of receipts and changes; Sendroom registers it by itself',
    params: z.object({ key: z.string().max(200) }),
    body: z.unknown(),
    // Whapi takes nothing but 200 for an answer.
    response: z.object({ success: z.literal(true) }),
  }),
}
