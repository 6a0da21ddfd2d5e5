import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { answer } from '../../platform/http.ts'
import type { ImageStore } from '../../platform/images.ts'
import { seen } from '../../platform/refusal.ts'
import { findMessage, listMessages } from './messages.queries.ts'
import { changeMessage, createMessage, removeMessages } from './messages.service.ts'

export function messageRoutes(app: FastifyInstance, parts: { db: Pool; images: ImageStore }): void {
  const { db } = parts
  const { messages } = contract

  answer(app, messages.list, ({ caller, query }) => listMessages(db, caller, query))

  answer(app, messages.get, async ({ caller, params }) => seen(await findMessage(db, caller, params.id)))

  for (const endpoint of [messages.create, messages.createWithFile])
    answer(app, endpoint, ({ caller, body, file }) => createMessage(parts, caller, body, file))

  for (const endpoint of [messages.update, messages.updateWithFile])
    answer(app, endpoint, ({ caller, params, body, file }) =>
      changeMessage(parts, caller, params.id, body, file),
    )

  answer(app, messages.remove, ({ caller, params }) => removeMessages(db, caller, [params.id]))

  answer(app, messages.bulkDelete, ({ caller, body }) => removeMessages(db, caller, body.ids))
}
