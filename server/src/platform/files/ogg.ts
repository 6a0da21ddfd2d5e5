import type { Source } from '../storage/source.ts'
import { wholeSeconds } from './mp4.ts'

/** The largest page: a header of 27 bytes, a table of 255, and as many segments of 255 bytes. */
const MAX_PAGE = 27 + 255 + 255 * 255
/** A granule of Opus counts samples of this rate, whatever the rate of the recording. RFC 7845, section 4. */
const OPUS_RATE = 48_000

export type Ogg = { isOpus: boolean; channels: number; seconds: number | null }

/** Reads the first page of an Ogg (RFC 3533) and the time of its last one. Null if the first page is none. */
export async function readOgg(source: Source): Promise<Ogg | null> {
  const page = await source.read(0, MAX_PAGE)
  const packet = page.subarray(27 + (page[26] ?? 0))
  const isFirst = page.length > 27 && page[4] === 0 && ((page[5] ?? 0) & 2) === 2
  if (!isFirst || packet.length < 19) return null
  const isOpus = packet.toString('latin1', 0, 8) === 'OpusHead'
  if (!isOpus) return { isOpus, channels: 0, seconds: null }
  const serial = page.readUInt32LE(14)
  const samples = await lastGranule(source, serial)
  const skipped = packet.readUInt16LE(10)
  return { isOpus, channels: packet.readUInt8(9), seconds: wholeSeconds((samples - skipped) / OPUS_RATE) }
}

/** The granule of the last page of this stream, or 0. */
async function lastGranule(source: Source, serial: number): Promise<number> {
  const end = await source.read(Math.max(0, source.size - MAX_PAGE), MAX_PAGE)
  for (let at = end.lastIndexOf('OggS'); at > -1; at = at > 0 ? end.lastIndexOf('OggS', at - 1) : -1) {
    if (at + 27 > end.length || end.readUInt32LE(at + 14) !== serial) continue
    const granule = end.readBigInt64LE(at + 6)
    // -1: no packet ends on this page.
    if (granule >= 0n) return Number(granule)
  }
  return 0
}
