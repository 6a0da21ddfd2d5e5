import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConsoleMessage, expect, type Page, test } from '@playwright/test'
import type Axe from 'axe-core'
import { enter, move, open, show, speak, visit, withGallery, wordsOf } from './gallery.ts'
import { languages, schemes, type View, type Words, widths } from './view.ts'
import { views } from './views.ts'

const all = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })))
const isFull = process.env.EVERY_VARIANT === '1'
/**
 * The default variants, wide in light and narrow in dark, differ most. Vietnamese has the longest texts, so it is in
 * both, and each other language in one. Views that keep their words are judged in Vietnamese alone. EVERY_VARIANT=1
 * checks all, which takes minutes.
 */
const variants = all.filter(({ width, scheme }) => isFull || (scheme === 'light') === width > 600)
const isChecked = (lang: string, width: number) =>
  isFull || lang === languages[0] || lang === (width > 600 ? 'cn' : 'en')
/** The languages to judge a view in, in groups for each of which it is opened anew, which takes most of the time. */
const spokenIn = ({ keepsWords }: View): (readonly string[])[] =>
  keepsWords ? (isFull ? languages : languages.slice(0, 1)).map((lang) => [lang]) : [languages]
/** Findings of axe depend on the language only by the length of the texts, and axe is slow. */
const usesAxe = (lang: string) => isFull || lang === languages[0]

/** No page takes longer to show the answer to what it asks for, even on a busy machine. */
const LASTING_MS = 3000

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const users = [undefined, 'visitor', 'newcomer', 'reader', 'first'] as const
/** So many pages at once, because each mostly waits. They share one gallery, which takes long to furnish. */
const PAGES = 4
const size = Math.ceil(Object.keys(views).length / PAGES)
const parts = Array.from({ length: PAGES }, (_, n) => Object.entries(views).slice(n * size, (n + 1) * size))

test('pages and dialogs have no layout, text or accessibility problems', async ({ browser }) => {
  test.setTimeout(900_000)
  await withGallery(browser, async (gallery) => {
    const words = new Map<string, Words>()
    for (const lang of languages) words.set(lang, await wordsOf(gallery, lang))
    const problems: string[] = []
    const judgePart = async (part: [string, View][]) => {
      for (const as of users) {
        const chosen = part.filter(([, view]) => view.as === as)
        if (chosen.length > 0)
          problems.push(...(await judge(await enter(browser, gallery, as, languages[0]), words, chosen)))
      }
    }
    await Promise.all(parts.map(judgePart))
    expect(problems.join('\n')).toBe('')
  })
})

/** Views with answers in place of the server's come last: they are loaded anew, and so would be the ones after them. */
const inOrder = (chosen: [string, View][]) =>
  chosen.toSorted(([, a], [, b]) => Number(a.answers !== undefined) - Number(b.answers !== undefined))

/** Returns the problems of these views, which are opened one after the other on this page. */
async function judge(page: Page, words: Map<string, Words>, chosen: [string, View][]): Promise<string[]> {
  await page.addInitScript(AXE)
  await page.addInitScript(logViolations)
  const logged: string[] = []
  page.on('console', (message) => isProblem(message) && logged.push(message.text()))
  page.on('pageerror', (error) => logged.push(String(error)))
  const problems: string[] = []
  let before: View | undefined
  for (const [name, view] of inOrder(chosen))
    await test.step(name, async () => {
      for (const spoken of spokenIn(view)) {
        const [first = ''] = spoken
        await page.setViewportSize({ width: 1280, height: 800 })
        if (before) await speak(page, first)
        const isThere = before && !before.open && before.path === view.path && before.answers === view.answers
        const t = words.get(first) ?? String
        if (isThere) await open(page, view, t)
        else if (before) await move(page, before, view, t)
        else await visit(page, view, t)
        before = view
        const found = [...(await findProblems(page, spoken)), ...logged.splice(0)]
        problems.push(...found.map((problem) => `${name} ${problem}`))
      }
    })
  await page.context().close()
  return problems
}

/** Returns the problems of the shown view in all variants and these languages. Leaves the page in the first of them. */
async function findProblems(page: Page, spoken: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const [nth, { width, scheme }] of variants.entries()) {
    await page.setViewportSize({ width, height: 800 })
    await show(page, scheme)
    const checked = spoken.filter((lang) => spoken.length === 1 || isChecked(lang, width))
    // In turn, so that the page rarely changes its language.
    for (const lang of nth % 2 === 0 ? checked : checked.toReversed()) {
      await speak(page, lang)
      const found = await findLasting(page, lang)
      problems.push(...found.map((problem) => `${lang} ${scheme} ${width}: ${problem}`))
    }
  }
  return problems
}

/** Looks again where there are problems: the page may have been on its way, with its values dimmed for a moment. */
async function findLasting(page: Page, lang: string): Promise<string[]> {
  const found = await findNow(page, lang)
  if (found.length === 0) return []
  await delay(LASTING_MS)
  return findNow(page, lang)
}

const findNow = async (page: Page, lang: string) => [
  ...(await page.evaluate(sidewaysScroll)),
  ...(await page.evaluate(rawKeys)),
  ...(usesAxe(lang) ? await violations(page) : []),
]

/** The calls that views provoke to fail: a wrong password, a missing message or job, a conflict and others. */
const REFUSED =
  /\/api\/(auth\/login(\/code)?|files|messages\?.*search=sale.*|(messages|jobs)\/999|(messages|instances|users|contacts|lists)\/\d+|instances\/\d+\/qrcode-base64)$/

const isProblem = (message: ConsoleMessage) =>
  message.type() === 'error' && !REFUSED.test(message.location().url)

/** Logs violations of the content security policy. The browser reports some of them only by this event. */
const logViolations = () =>
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
    console.error(`${violatedDirective} forbids ${blockedURI} of ${sourceFile}`)
  })

/** Elements that scroll horizontally without saying that they are meant to. */
function sidewaysScroll(): string[] {
  const frames = [...document.querySelectorAll('table')].flatMap(({ parentElement }) => parentElement ?? [])
  const boxes = [document.documentElement, ...frames, ...document.querySelectorAll('[role=dialog]')]
  return boxes
    .filter((box) => box.scrollWidth > box.clientWidth && !box.hasAttribute('data-scrolls-sideways'))
    .map((box) => `${box.nodeName} scrolls sideways by ${box.scrollWidth - box.clientWidth} px`)
}

/** Untranslated keys and unfilled placeholders, but not the variable `city` of messages. Screen readers' texts, too. */
function rawKeys(): string[] {
  const attributes = ['aria-label', 'placeholder', 'title', 'alt']
  const spoken = [...document.querySelectorAll(attributes.map((name) => `[${name}]`).join())]
  const texts = [
    document.title,
    // biome-ignore lint/performance/useDomNodeTextContent: textContent joins the texts of adjacent elements
    document.body.innerText,
    ...spoken.flatMap((element) => attributes.map((name) => element.getAttribute(name) ?? '')),
  ]
  return texts.join('\n').match(/\b[A-Z][A-Z_]+\.[A-Z][A-Z_]+\b|\{\{(?!city\b).*?\}\}/g) ?? []
}

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof Axe } // added by the init script
    // An open list or menu is no more part of the page's landmarks than a dialog, which axe leaves out itself.
    const regionMatcher = 'dialog, [role=dialog], [role=alertdialog], svg, [role=listbox], [role=menu]'
    // The arrow keys scroll an open list of options, while the focus stays in the field.
    const selector = '*:not(select, textarea, [role=listbox] *)'
    axe.configure({
      checks: [{ id: 'region', options: { regionMatcher } }],
      rules: [{ id: 'scrollable-region-focusable', selector }],
    })
    // A list is dimmed while other rows replace it. WCAG asks no contrast of what is inactive.
    const shown = { exclude: 'table[aria-busy=true]' }
    const { violations } = await axe.run(shown, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  })
