import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createXmlReader } from './xml.ts'

/** Returns what is read, with texts joined. */
function read(parts: string[]): string[] {
  const events: string[] = []
  let texts = ''
  const event = (name: string) => {
    if (texts !== '') events.push(`text ${texts}`)
    texts = ''
    events.push(name)
  }
  const reader = createXmlReader({
    open: (name, attributes) => event(`open ${name}${attributes}`),
    close: (name) => event(`close ${name}`),
    text: (text) => {
      texts += text
    },
  })
  for (const part of parts) reader(part)
  event('end')
  return events
}

const XML =
  '<?xml version="1.0"?><!-- a > b --><x:row r="1"><c t=\'s\' a="&lt;"/><v>1 &amp; 2&#xe9;&#9;</v><![CDATA[a<b]]></x:row >'
const EVENTS = [
  'open row r="1"',
  'open c t=\'s\' a="&lt;"/',
  'close c',
  'open v',
  'text 1 & 2é\t',
  'close v',
  'text a<b',
  'close row',
  'end',
]

test('tags, texts and entities are read', () => {
  expect(read([XML])).toEqual(EVENTS)
})

test('however the text is divided', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(XML.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.sort((one, other) => one - other), XML.length]
      expect(read(cuts.slice(1).map((end, n) => XML.slice(cuts[n], end)))).toEqual(EVENTS)
    }),
  )
})

test('attributes are found by their whole name, whatever their prefix', () => {
  const attributes = ' spans="1:2" r:id="rId1" name=\'a &amp; b\''
  expect(['s', 'id', 'name', 'x'].map((name) => attribute(attributes, name))).toEqual([
    undefined,
    'rId1',
    'a & b',
    undefined,
  ])
})

test('a document type is refused, and with it entities that grow', () => {
  expect(() => read(['<!DOCTYPE x [<!ENTITY a "aaaa">]>'])).toThrow('document type')
})

test('a tag without an end takes no more memory than the longest allowed one', () => {
  expect(() => read(['<a', 'b'.repeat(1 << 17)])).toThrow('tag too long')
})
