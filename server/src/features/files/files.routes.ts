import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { FileStore } from '../../platform/files/store.ts'
import { route } from '../../platform/http.ts'
import { storeUpload, UPLOAD } from './upload.ts'

export function fileRoutes(app: FastifyInstance, { files }: { files: FileStore }): void {
  route(app, contract.files.upload, ({ begin, request }) => storeUpload({ begin, files }, request), {
    streamsUpload: UPLOAD,
  })
}
