import type { Endpoint } from '@sendroom/contract/endpoint'
import { limits } from '@sendroom/contract/limits'
import type { FastifyRequest } from 'fastify'
import { parseJsonField } from '../json-body.ts'
import { InvalidInput, Refusal } from '../refusal.ts'
import { partsOf } from '../upload.ts'

export type UploadedFile = { bytes: Buffer }

type Fields = Map<string, string | string[]>
type Form = { fields: Record<string, string | string[]>; file: UploadedFile | null }

/** Reads a form into memory: the body that its fields, or one of them, make, and the file. */
export async function readForm(request: FastifyRequest, { upload, form }: Endpoint) {
  if (!upload) throw new Refusal('unsupported_type')
  const fieldBytes = form ? request.routeOptions.bodyLimit : FIELD_BYTES
  const { fields, file: uploadedFile } = await readMultipart(request, upload, fieldBytes)
  const body = form ? await parseJsonField(request, String(fields[form] ?? '')) : fields
  return { body, uploadedFile }
}

/**
 * Reads the parts of a form. Repeated fields become lists. The one file belongs to `fileField` and is null if it is
 * empty. Throws the refusal `image_too_large` or `too_large` beyond the limits, and `form_damaged` if it is no form.
 */
const readMultipart = (request: FastifyRequest, fileField: string, fieldBytes: number): Promise<Form> =>
  readParts(request, fileField, fieldBytes).catch((error) => {
    // The parser's errors for damaged forms are plain ones. Those about limits have a status.
    const isOurs = error instanceof Refusal || error instanceof InvalidInput
    throw isOurs || error.statusCode < 500 ? error : new Refusal('form_damaged', {}, null)
  })

async function readParts(request: FastifyRequest, fileField: string, fieldBytes: number): Promise<Form> {
  const fields: Fields = new Map()
  let file: UploadedFile | null = null
  let charactersLeft = Math.max(FIELDS_CHARACTERS, fieldBytes)
  for await (const part of partsOf(request, { ...multipartLimits, fieldSize: fieldBytes })) {
    if (part.type === 'file') {
      const bytes = await part.toBuffer().catch((error) => {
        throw error.statusCode === 413 ? new Refusal('image_too_large') : error
      })
      if (bytes.length === 0) continue
      if (part.fieldname !== fileField) throw new InvalidInput({ [part.fieldname]: 'FIELD.INVALID' })
      file = { bytes }
    } else {
      // The parser has read a part of type JSON.
      const value = typeof part.value === 'string' ? part.value : JSON.stringify(part.value)
      charactersLeft -= value.length
      if (charactersLeft < 0) throw new Refusal('too_large')
      addField(fields, part.fieldname, value)
    }
  }
  return { fields: Object.fromEntries(fields), file }
}

/** The limit for all fields together. A text and ten thousand groups need a fifth of it. */
const FIELDS_CHARACTERS = 1024 * 1024

const multipartLimits = {
  fileSize: limits.imageMegabytes * 1024 * 1024,
  files: 1,
  fields: 20_000,
  // Fields and files together. The plugin's default is 1,000.
  parts: 20_001,
}

const FIELD_BYTES = 64 * 1024

function addField(fields: Fields, name: string, value: string) {
  const before = fields.get(name)
  // Pushed, because copying the list for each of 20,000 values takes seconds.
  if (Array.isArray(before)) before.push(value)
  else fields.set(name, before === undefined ? value : [before, value])
}
