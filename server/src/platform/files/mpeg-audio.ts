import type { Source } from '../storage/source.ts'
import { wholeSeconds } from './mp4.ts'

const KBIT = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const RATES = [44_100, 48_000, 32_000]
/** Two bytes of anything may look like the beginning of a frame, three frames in a row not. */
const FRAMES = 3
/** The longest frames of MP3 have 1,441 bytes, those of AAC 8,191. */
const READ_BYTES = (FRAMES + 1) * 8192

type Frame = {
  length: number
  samples: number
  rate: number
  bitrate: number
  isMpeg1: boolean
  isMono: boolean
}

/** Reads an MP3. Null if it is none. */
export async function readMp3(source: Source): Promise<{ seconds: number | null } | null> {
  const begin = tagLength(await source.read(0, 10))
  const bytes = await source.read(begin, READ_BYTES)
  const first = readFrame(bytes, 0)
  if (!first || !hasFrames((at) => readFrame(bytes, at)?.length)) return null
  const frames = countOfFrames(bytes, first)
  const seconds = frames ? (frames * first.samples) / first.rate : ((source.size - begin) * 8) / first.bitrate
  return { seconds: wholeSeconds(seconds) }
}

/** Whether it is AAC in ADTS frames (ISO/IEC 13818-7, 6.2). */
export async function isAdts(source: Source): Promise<boolean> {
  const bytes = await source.read(tagLength(await source.read(0, 10)), READ_BYTES)
  return hasFrames((at) => {
    const isFrame = at + 7 <= bytes.length && (bytes.readUInt16BE(at) & 0xfff6) === 0xfff0
    const length = isFrame ? (bytes.readUInt32BE(at + 2) >> 5) & 0x1fff : 0
    return length >= 7 ? length : undefined
  })
}

/** The length of an ID3v2 tag in front of the sound, which may hold a picture. https://id3.org/id3v2.4.0-structure */
function tagLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (bytes.readUInt8(at) & 0x7f), 0)
  const hasFooter = (bytes.readUInt8(5) & 0x10) !== 0
  return 10 + size + (hasFooter ? 10 : 0)
}

function hasFrames(lengthAt: (at: number) => number | undefined): boolean {
  let at = 0
  for (let n = 0; n < FRAMES; n++) {
    const length = lengthAt(at)
    if (length === undefined) return false
    at += length
  }
  return true
}

/** Reads the header of a frame of layer III (ISO/IEC 11172-3, 2.4.2.3). */
function readFrame(bytes: Buffer, at: number): Frame | null {
  if (at + 4 > bytes.length) return null
  const header = bytes.readUInt32BE(at)
  const version = (header >>> 19) & 3 // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const layer = (header >>> 17) & 3
  if (header >>> 21 !== 0x7ff || version === 1 || layer !== 1) return null
  const isMpeg1 = version === 3
  const bitrate = 1000 * (KBIT[isMpeg1 ? 'mpeg1' : 'mpeg2'][(header >>> 12) & 15] ?? 0)
  const rate = (RATES[(header >>> 10) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4)
  if (bitrate === 0 || rate === 0) return null
  const samples = isMpeg1 ? 1152 : 576
  const padding = (header >>> 9) & 1
  const length = Math.floor((samples / 8) * (bitrate / rate)) + padding
  return { length, samples, rate, bitrate, isMpeg1, isMono: ((header >>> 6) & 3) === 3 }
}

/** Encoders with a changing bitrate write the number of frames into the first one. */
function countOfFrames(bytes: Buffer, { isMpeg1, isMono }: Frame): number {
  const at = 4 + (isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17)
  if (at + 12 > bytes.length) return 0
  const mark = bytes.toString('latin1', at, at + 4)
  const hasCount = (mark === 'Xing' || mark === 'Info') && (bytes.readUInt32BE(at + 4) & 1) === 1
  return hasCount ? bytes.readUInt32BE(at + 8) : 0
}
