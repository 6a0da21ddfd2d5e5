import { expect, test } from 'vitest'
import { type Line, type Piece, whatsAppLines } from './whatsapp-text.ts'

const tags = { bold: 'b', italic: 'i', strike: 's', mono: 'mono', code: 'code', link: 'a' } as const

/** Writes a piece like HTML, to keep the expected values short. */
const write = (piece: Piece): string => {
  if (typeof piece === 'string') return piece
  const inside = 'pieces' in piece ? piece.pieces.map(write).join('') : piece.text
  return `<${tags[piece.kind]}>${inside}</${tags[piece.kind]}>`
}
const writeLine = ({ kind, pieces }: Line) =>
  `${kind === 'text' ? '' : `${kind}: `}${pieces.map(write).join('')}`
const shown = (text: string) => whatsAppLines(text).map(writeLine).join('\n')

test.each([
  // each marker
  ['*bold*', '<b>bold</b>'],
  ['_italic_', '<i>italic</i>'],
  ['~strike~', '<s>strike</s>'],
  ['```mono```', '<mono>mono</mono>'],
  ['`code`', '<code>code</code>'],
  ['Buy *two* get _one_ ~not~ free', 'Buy <b>two</b> get <i>one</i> <s>not</s> free'],
  // nested markers
  ['*_both_*', '<b><i>both</i></b>'],
  ['_*~all~*_', '<i><b><s>all</s></b></i>'],
  ['*bold _and italic_ again*', '<b>bold <i>and italic</i> again</b>'],
  ['*bold _over* lap_', '<b>bold _over</b> lap_'],
  // a marker needs text on its inner side
  ['so * bold*', 'so * bold*'],
  ['*bold *', '*bold *'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['**', '**'],
  ['_ _', '_ _'],
  ['*a*', '<b>a</b>'],
  // and no letter or digit on its outer side
  ['a*b*c', 'a*b*c'],
  ['*bold*s', '*bold*s'],
  ['4*5*', '4*5*'],
  ['snake_case_name', 'snake_case_name'],
  ['*so*so*', '<b>so*so</b>'],
  ['Giá *rẻ*đó', 'Giá *rẻ*đó'],
  ['(*bold*), "_italic_"!', '(<b>bold</b>), "<i>italic</i>"!'],
  ['🎉*bold*🎉', '🎉<b>bold</b>🎉'],
  // doubled markers, markers without a closing one
  ['**bold**', '*<b>bold</b>*'],
  ['*one *two', '*one *two'],
  ['*one *two*', '<b>one *two</b>'],
  ['*', '*'],
  ['', ''],
  // markers do not reach across lines
  ['*two\nlines*', '*two\nlines*'],
  ['*one*\n\n_two_', '<b>one</b>\n\n<i>two</i>'],
  // monospaced text is not formatted inside and may span lines
  ['```*a* _b_```', '<mono>*a* _b_</mono>'],
  ['```one\ntwo```', '<mono>one\ntwo</mono>'],
  ['a```b```c', 'a<mono>b</mono>c'],
  ['``` ```', '``` ```'],
  ['```open', '```open'],
  ['`*a*`', '<code>*a*</code>'],
  ['*`a`*', '<b><code>a</code></b>'],
  // links are not formatted inside
  ['See https://a.vn/x_y_z.', 'See <a>https://a.vn/x_y_z</a>.'],
  ['https://a.vn/_x_', '<a>https://a.vn/_x</a>_'],
  ['*https://a.vn*', '<b><a>https://a.vn</a></b>'],
  ['(www.a.vn)', '(<a>www.a.vn</a>)'],
  ['a.com, b.com.vn/c?d=1', '<a>a.com</a>, <a>b.com.vn/c?d=1</a>'],
  ['wa.me/84901234567', '<a>wa.me/84901234567</a>'],
  ['lan@a.vn', '<a>lan@a.vn</a>'],
  ['Yes.Please 1.5/2 a.community', 'Yes.Please 1.5/2 a.community'],
  // quotes and bullets
  ['> said', 'quote: said'],
  ['- one\n* *two*', 'bullet: one\nbullet: <b>two</b>'],
  ['-one\n>two\n- ', '-one\n>two\n- '],
  // other scripts
  ['*خصم* اليوم', '<b>خصم</b> اليوم'],
  ['*特价*！', '<b>特价</b>！'],
  ['*👨‍👩‍👧‍👦*', '<b>👨‍👩‍👧‍👦</b>'],
])(
  // R-498
  '%j is shown as %j',
  (text, expected) => {
    expect(shown(text)).toBe(expected)
  },
)

test.each([
  ['http://a.vn', 'http://a.vn'],
  ['www.a.vn', 'https://www.a.vn'],
  ['lan@a.vn', 'mailto:lan@a.vn'],
])('the link %s leads to %s', (text, href) => {
  expect(whatsAppLines(text)[0]?.pieces).toEqual([{ kind: 'link', text, href }])
})

test.each([
  '*a '.repeat(1333),
  '*_~'.repeat(1333),
  'a.'.repeat(2000),
  '```a'.repeat(1000),
  'a_'.repeat(2000),
])('no letter of a text with tangled markers is lost: %.9s…', (text) => {
  const plain = ({ pieces }: Line) => pieces.map(plainOf).join('')
  const plainOf = (piece: Piece): string =>
    typeof piece === 'string' ? piece : 'pieces' in piece ? piece.pieces.map(plainOf).join('') : piece.text
  const letters = (some: string) => some.replace(/[^a]/g, '').length
  expect(letters(whatsAppLines(text).map(plain).join('\n'))).toBe(letters(text))
})
