/** The types of files, by the ending of their names in the store. So a name is enough to serve a file. */
const TYPES = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  amr: 'audio/amr',
  ogg: 'audio/ogg; codecs=opus',
  oga: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  zip: 'application/zip',
  rtf: 'application/rtf',
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  avif: 'image/avif',
  txt: 'text/plain',
  bin: 'application/octet-stream',
} as const

export type Extension = keyof typeof TYPES

const NAME = new RegExp(`^[0-9a-f]{32}\\.(${Object.keys(TYPES).join('|')})$`)

/** Whether the store may have chosen this name. Others could lead out of its folder. */
export const isStoredName = (name: string) => NAME.test(name)

/** The MIME type of a stored file. */
export const mimeTypeOf = (name: string) => TYPES[name.split('.')[1] as Extension] // only for names of the store
