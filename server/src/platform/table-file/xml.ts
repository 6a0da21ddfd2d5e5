/** Names come without their namespace's prefix; `attributes` is the text between the name and the end of the tag. */
export type XmlHandlers = {
  open: (name: string, attributes: string) => void
  close: (name: string) => void
  /** A long text comes in parts. */
  text: (text: string) => void
}

export class XmlError extends Error {}

/** No tag or entity in a spreadsheet is nearly as long. */
const MAX_TOKEN = 1 << 16
const MAX_ENTITY = 12

/**
 * Reads XML as it comes, and keeps no more than a tag. Only what spreadsheets have is understood: document types are
 * refused, so no entity can grow.
 */
export function createXmlReader({ open, close, text }: XmlHandlers): (part: string) => void {
  let rest = ''

  function readTag(tag: string) {
    if (tag.startsWith('?') || tag.startsWith('!--')) return
    if (tag.startsWith('![CDATA[')) return text(tag.slice(8, -2))
    if (tag.startsWith('!')) throw new XmlError('document type')
    if (tag.startsWith('/')) return close(localName(tag.slice(1).trimEnd()))
    const isEmpty = tag.endsWith('/')
    const space = tag.search(/[\s/]/)
    const name = localName(space === -1 ? tag : tag.slice(0, space))
    open(name, space === -1 ? '' : tag.slice(space))
    if (isEmpty) close(name)
  }

  return (part) => {
    const xml = rest + part
    let at = 0
    while (at < xml.length) {
      if (xml[at] === '<') {
        const mark = endMarkOf(xml, at)
        const end = xml.indexOf(mark, at + 1)
        if (end === -1) break
        readTag(xml.slice(at + 1, end + mark.length - 1))
        at = end + mark.length
      } else {
        const next = xml.indexOf('<', at)
        const end = next === -1 ? beforeOpenEntity(xml, at) : next
        if (end === at) break
        text(decodeEntities(xml.slice(at, end)))
        at = end
      }
    }
    rest = xml.slice(at)
    if (rest.length > MAX_TOKEN) throw new XmlError('tag too long')
  }
}

/** Attributes may contain >, but no spreadsheet program writes it so. */
function endMarkOf(xml: string, at: number): string {
  if (xml.startsWith('<!--', at)) return '-->'
  return xml.startsWith('<![CDATA[', at) ? ']]>' : '>'
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** An entity may be cut off where the part ends. */
function beforeOpenEntity(xml: string, from: number): number {
  const entity = xml.lastIndexOf('&')
  const isOpen = entity >= from && xml.length - entity < MAX_ENTITY && !xml.includes(';', entity)
  return isOpen ? entity : xml.length
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const decodeEntities = (text: string) =>
  text.includes('&')
    ? text.replace(/&(#x?[\da-f]+|[a-z]+);/gi, (whole, name) => decodeEntity(name) ?? whole)
    : text

function decodeEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name]
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** Compiled once per name: a sheet has millions of attributes. */
const patterns = new Map<string, RegExp>()

function patternOf(name: string): RegExp {
  const pattern = patterns.get(name) ?? new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  patterns.set(name, pattern)
  return pattern
}

/** Returns an attribute's value. `name` may have no prefix although the attribute has one, as `id` for `r:id`. */
export function attribute(attributes: string, name: string): string | undefined {
  const found = patternOf(name).exec(attributes)
  return found ? decodeEntities(found[1] ?? found[2] ?? '') : undefined
}
