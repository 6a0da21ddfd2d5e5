import type { FileKind, WhyNot } from '@sendroom/contract/files'
import { limits } from '@sendroom/contract/limits'
import type { Source } from '../storage/source.ts'
import { readMp4 } from './mp4.ts'
import { isAdts, readMp3 } from './mpeg-audio.ts'
import { readOgg } from './ogg.ts'
import type { Extension } from './types.ts'
import { zipKind } from './zip-kind.ts'

const MAX_PLAYED_BYTES = limits.playedMegabytes << 20
const START_BYTES = 1 << 16

/** The bytes of a file say this. `whyNot`: why a phone would not play this video or audio. */
export type Detected = {
  extension: Extension
  seconds: number | null
  width: number | null
  height: number | null
  kinds: FileKind[]
  whyNot: WhyNot | null
}

const NOTHING = { seconds: null, width: null, height: null }

const documentOf = (extension: Extension): Detected => ({
  ...NOTHING,
  extension,
  kinds: ['document'],
  whyNot: null,
})

/** A video or audio that can only be sent as a document. */
const refused = (extension: Extension, whyNot: WhyNot): Detected => ({ ...documentOf(extension), whyNot })

/**
 * Says what a file is. Only the bytes count: the name and the type that a browser declares may be anything. Whatever is
 * not recognised is a document.
 */
export async function detect(source: Source): Promise<Detected> {
  const start = await source.read(0, START_BYTES)
  const found = (await detectMedia(source, start)) ?? (await detectDocument(source, start))
  const isTooLarge = found.kinds.length > 1 && source.size > MAX_PLAYED_BYTES
  return isTooLarge ? { ...found, kinds: ['document'], whyNot: 'too_large' } : found
}

const has = (start: Buffer, text: string, at = 0) => start.toString('latin1', at, at + text.length) === text

async function detectMedia(source: Source, start: Buffer): Promise<Detected | null> {
  if (has(start, 'ftyp', 4)) return detectMp4(source, start)
  if (has(start, 'OggS')) return detectOgg(source)
  if (has(start, '\x1a\x45\xdf\xa3')) return refused('mkv', 'container')
  if (has(start, 'RIFF') && has(start, 'AVI ', 8)) return refused('avi', 'container')
  if (has(start, 'RIFF') && has(start, 'WAVE', 8)) return refused('wav', 'container')
  if (has(start, 'fLaC')) return refused('flac', 'container')
  if (has(start, '#!AMR\n')) return audio('amr', null)
  const mp3 = await readMp3(source)
  if (mp3) return audio('mp3', mp3.seconds)
  return (await isAdts(source)) ? audio('aac', null) : null
}

const audio = (extension: Extension, seconds: number | null): Detected => ({
  ...NOTHING,
  extension,
  seconds,
  kinds: ['audio', 'document'],
  whyNot: null,
})

/** Pictures with `ftyp`, of phones. */
const PICTURES = ['heic', 'heix', 'heim', 'heis', 'mif1', 'msf1']

async function detectMp4(source: Source, start: Buffer): Promise<Detected> {
  const brand = start.toString('latin1', 8, 12)
  if (brand === 'avif' || brand === 'avis') return documentOf('avif')
  if (PICTURES.includes(brand)) return documentOf('heic')
  if (brand === 'qt  ') return refused('mov', 'container')
  const { hasVideo, whyNot, ...about } = await readMp4(source)
  if (whyNot === 'damaged') return refused('bin', whyNot)
  const extension = hasVideo ? 'mp4' : 'm4a'
  const kinds: FileKind[] = whyNot ? ['document'] : [hasVideo ? 'video' : 'audio', 'document']
  return { extension, ...about, kinds, whyNot }
}

/** WhatsApp plays Opus with one channel, as its own voice messages have. */
async function detectOgg(source: Source): Promise<Detected> {
  const ogg = await readOgg(source)
  if (!ogg) return refused('bin', 'damaged')
  if (!ogg.isOpus) return refused('oga', 'codec')
  const { channels, seconds } = ogg
  if (channels !== 1) return { ...refused('ogg', 'channels'), seconds }
  return { ...audio('ogg', seconds), kinds: ['voice', 'audio', 'document'] }
}

const SIGNATURES: [bytes: string, extension: Extension][] = [
  ['%PDF-', 'pdf'],
  ['{\\rtf', 'rtf'],
  ['\xff\xd8\xff', 'jpg'],
  ['\x89PNG\r\n\x1a\n', 'png'],
  ['GIF87a', 'gif'],
  ['GIF89a', 'gif'],
]

/** HTML and SVG are texts here: no browser runs a text. */
async function detectDocument(source: Source, start: Buffer): Promise<Detected> {
  const known = SIGNATURES.find(([bytes]) => has(start, bytes))
  if (known) return documentOf(known[1])
  if (has(start, 'RIFF') && has(start, 'WEBP', 8)) return documentOf('webp')
  if (has(start, 'PK\x03\x04')) return documentOf(await zipKind(source, start))
  return documentOf(isText(start) ? 'txt' : 'bin')
}

function isText(start: Buffer): boolean {
  try {
    // The last character may go on after the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return !/[^\P{Cc}\t\n\f\r]/u.test(text)
  } catch {
    return false
  }
}
