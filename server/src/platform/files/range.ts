import type { Range } from '../storage/place.ts'

/**
 * Reads a Range header (RFC 9110, section 14.2). Returns undefined if the whole file is asked for, also by several
 * ranges or another unit, and null if nothing of the range is in the file.
 */
export function readRange(header: string | undefined, size: number): Range | undefined | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '')
    return Number(last) > 0 ? { start: Math.max(0, size - Number(last)), end: size - 1 } : null
  const range = { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
  if (last !== '' && Number(last) < range.start) return undefined
  return range.start < size ? range : null
}
