import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { FileStore } from '../../platform/files/store.ts'
import { route } from '../../platform/http.ts'
import { openFlow } from '../../platform/storage/flow.ts'
import { storeUpload, UPLOAD } from './upload.ts'

export function fileRoutes(app: FastifyInstance, { files }: { files: FileStore }): void {
  const flow = openFlow()
  route(app, contract.files.upload, ({ begin, request }) => storeUpload({ begin, files, flow }, request), {
    streamsUpload: UPLOAD,
  })
}
