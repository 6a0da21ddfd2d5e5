const MAX_NAME_LENGTH = 100

/** A part of a file's name: without characters that file systems refuse or that reverse the direction of the text. */
export function fileNamePart(name: string): string {
  const safe = name.replace(/[\\/:*?"<>|\p{Cc}\p{Bidi_Control}]/gu, '_').trim()
  return [...safe].slice(0, MAX_NAME_LENGTH).join('')
}

/** The header of RFC 6266, with the name in UTF-8 (RFC 5987) and in ASCII for older clients. */
export function contentDisposition(fileName: string): string {
  const ascii = fileName
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|%/g, '_')
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  const utf8 = encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, escaped)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`
}
