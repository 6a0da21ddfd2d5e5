import type { FastifyRequest } from 'fastify'

/** The first that fits. A browser also names those whose pages it can show, so the rarer ones come first. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bcoc_coc_browser\//, 'Cốc Cốc'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]
/** Emails name the browser, and mail programs make a link of `example.com/login`. */
const NO_VERSION_DOT = /(?<!\d)\.|\.(?!\d)/g
const MAX_LENGTH = 60

const nameIn = (names: [RegExp, string][], text: string) => names.find(([sign]) => sign.test(text))?.[1]

/** Whether this name is that of a program, which keeps no cookie. */
export const isProgram = (browser: string) => !BROWSERS.some(([, name]) => browser.startsWith(name))

/** Names the browser and the system of a `User-Agent`, or the program that is no browser, such as `curl/8.5.0`. */
export function browserOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const userAgent = headers['user-agent'] ?? ''
  const browser = nameIn(BROWSERS, userAgent) ?? userAgent.split(' ')[0] ?? ''
  const system = nameIn(SYSTEMS, userAgent)
  const name = system ? `${browser}, ${system}` : browser
  return name
    .replace(/[^\p{L}\p{N} ,./_-]/gu, '')
    .replace(NO_VERSION_DOT, ' ')
    .slice(0, MAX_LENGTH)
}
