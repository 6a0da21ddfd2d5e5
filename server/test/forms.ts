type Value = string | number

/** A form of type multipart/form-data. A list becomes a repeated field. The file is the image of a message. */
export function formOf(
  fields: Record<string, Value | Value[]>,
  file?: Buffer,
  fileName = 'picture.png',
): FormData {
  const form = new FormData()
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, String(value))
  if (file) form.append('imageFile', new Blob([new Uint8Array(file)], { type: 'image/png' }), fileName)
  return form
}

/** The form as the body of a request, and its content type. */
export async function encodeForm(form: FormData) {
  const encoded = new Response(form)
  return {
    payload: Buffer.from(await encoded.arrayBuffer()),
    contentType: encoded.headers.get('content-type') ?? '',
  }
}
