type Chart = { x: number[]; xLabel: string; yLabel: string; lines: { name: string; values: number[] }[] }

const WIDTH = 760
const HEIGHT = 420
const LEFT = 60
const RIGHT = 250
const TOP = 20
const BOTTOM = 50
const COLORS = [
  '#1f77b4',
  '#d62728',
  '#2ca02c',
  '#9467bd',
  '#ff7f0e',
  '#8c564b',
  '#e377c2',
  '#555555',
  '#17a2b8',
]

/** Draws lines over two logarithmic axes, as an SVG picture. */
export function drawLines({ x, xLabel, yLabel, lines }: Chart): string {
  const powers = powersAround(lines.flatMap(({ values }) => values))
  const [low = 0, high = 1] = [powers[0], powers.at(-1)]
  const column = (at: number) => LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(1, x.length - 1)
  const row = (value: number) =>
    HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (Math.log10(value) - low)) / (high - low)
  const grid = powers.map((power) => {
    const y = row(10 ** power)
    return `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="#ddd"/>${text(LEFT - 8, y + 4, `${10 ** power}`, 'end')}`
  })
  const drawn = lines.map(({ name, values }, nth) => {
    const points = values.map((value, at) => `${column(at).toFixed(1)},${row(value).toFixed(1)}`).join(' ')
    const color = COLORS[nth % COLORS.length]
    const y = TOP + 14 + nth * 20
    const key = `<path d="M${WIDTH - RIGHT + 20} ${y - 4}h18" stroke="${color}" stroke-width="3"/>`
    return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>${key}${text(WIDTH - RIGHT + 44, y, name)}`
  })
  const labels = x.map((value, at) =>
    text(column(at), HEIGHT - BOTTOM + 20, value.toLocaleString('en'), 'middle'),
  )
  const axes = [
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, xLabel, 'middle'),
    text(LEFT - 8, TOP - 6, yLabel, 'end'),
  ]
  const size = `width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">
<title>${yLabel} by ${xLabel}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[...grid, ...labels, ...axes, ...drawn].join('\n')}
</svg>
`
}

/** The exponents of the powers of ten from below the least to above the greatest value. */
function powersAround(values: number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: last - first + 1 }, (_, n) => first + n)
}

const text = (x: number, y: number, content: string, anchor = 'start') =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333">${content}</text>`
