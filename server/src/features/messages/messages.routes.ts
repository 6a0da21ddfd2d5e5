import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { clientSignal } from '../../platform/heavy/client-signal.ts'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { IDS_BODY_BYTES, route } from '../../platform/http.ts'
import { type Uploads, uploadOf } from '../../platform/images/uploads.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { findMessage, listMessages } from './messages.queries.ts'
import { changeMessage, createMessage, removeMessages } from './messages.service.ts'
import { listVariables, previewText } from './text-preview.ts'

/** Decoding an image takes a second. */
const withImage = { bodyBytes: IDS_BODY_BYTES, rateLimit: { max: 120, timeWindow: 60_000 } }

type Deps = { db: Pool; uploads: Uploads; config: Pick<Config, 'defaultCountry'>; heavyWork: HeavyWork }

export function messageRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, config, heavyWork } = deps
  const { messages } = contract

  route(app, messages.list, ({ caller, query }) => listMessages(db, caller, query))

  route(app, messages.variables, async () => ({ variables: await listVariables(db) }))

  route(app, messages.preview, ({ caller, body, reply }) => {
    const request = { caller, signal: clientSignal(reply) }
    const preview = ({ signal }: { signal: AbortSignal }) =>
      previewText(db, caller, body, config.defaultCountry, signal)
    // A search for problems may read as many people as a job can have.
    return body.onlyProblems ? heavyWork.run(request, preview) : preview(request)
  })

  route(app, messages.get, async ({ caller, params }) => orNotFound(await findMessage(db, caller, params.id)))

  for (const endpoint of [messages.create, messages.createWithFile])
    route(app, endpoint, (input) => createMessage(deps, input.begin, input.body, uploadOf(input)), withImage)

  for (const endpoint of [messages.update, messages.updateWithFile])
    route(
      app,
      endpoint,
      ({ begin, caller, params, body, ...input }) =>
        changeMessage(deps, begin, caller, params.id, body, uploadOf({ caller, ...input })),
      withImage,
    )

  route(app, messages.remove, ({ begin, params }) => removeMessages(begin, [params.id]))

  route(app, messages.bulkDelete, ({ begin, body }) => removeMessages(begin, body.ids))
}
