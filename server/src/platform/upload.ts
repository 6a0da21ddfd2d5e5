import type { FastifyMultipartBaseOptions } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { UploadLimit } from './large-bodies.ts'
import { InvalidInput, Refusal } from './refusal.ts'

/** The parser cuts off the rest of a part's header. File systems allow names of 255 bytes. */
const HEADER_BYTES = 4096

/**
 * Passes on a form's one file while it arrives, and returns its name. Throws the refusal `file_missing`,
 * that of the limit, or `form_damaged` if it is no form.
 */
export async function readUpload(
  request: FastifyRequest,
  field: string,
  { maxBytes, tooLarge }: UploadLimit,
  write: (bytes: Buffer) => Promise<void>,
): Promise<string> {
  if (!request.isMultipart()) throw new Refusal('file_missing')
  const limits = {
    fileSize: maxBytes,
    files: 1,
    fields: 10,
    parts: 11,
    fieldSize: 1024,
    headerSize: HEADER_BYTES,
  }
  let name: string | undefined
  try {
    for await (const part of partsOf(request, limits)) {
      if (part.type !== 'file') continue
      if (part.fieldname !== field) throw new InvalidInput({ [part.fieldname]: 'FIELD.INVALID' })
      for await (const bytes of part.file) await write(bytes)
      name = part.filename
    }
  } catch (error) {
    if (isTooLarge(error)) throw new Refusal(tooLarge)
    throw isOfForm(error) ? new Refusal('form_damaged', {}, null) : error
  }
  if (name === undefined) throw new Refusal('file_missing')
  return name
}

/** The parts of a form. The parser would wait for ever for a request that the client has broken off already. */
export function partsOf(request: FastifyRequest, limits: FastifyMultipartBaseOptions['limits']) {
  if (request.raw.destroyed) throw new Refusal('form_damaged', {}, null)
  return request.parts({ limits })
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE'

/** The parser's errors for damaged forms are plain ones. Those about limits have a status, and ours are told apart. */
const isOfForm = (error: unknown) =>
  error instanceof Error &&
  !(error instanceof Refusal || error instanceof InvalidInput) &&
  /unexpected end|malformed|^multipart:/i.test(error.message)
