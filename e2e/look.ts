/**
 * `npm run look` takes screenshots of every page and dialog in all widths, color schemes and languages, and writes
 * them to .tmp/look/. One sheet per page shows its variants side by side. `npm run look -- jobs login` takes only the
 * pages whose names begin so.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from '@playwright/test'
import { browserOptions } from './browser.ts'
import { enter, type Gallery, show, visit, withGallery, wordsOf } from './gallery.ts'
import { languages, schemes, type View, widths } from './view.ts'
import { views } from './views.ts'

const FOLDER = join(import.meta.dirname, '../.tmp/look')

const pictureName = (name: string, ...variant: (string | number)[]) => `${name}.${variant.join('.')}.png`

/** Takes all variants of a view. Visits it again for each width, because dialogs may open differently there. */
async function lookAt(browser: Browser, gallery: Gallery, name: string, view: View) {
  for (const lang of languages) {
    const words = await wordsOf(gallery, lang)
    const page = await enter(browser, gallery, view.as, lang)
    for (const width of widths) {
      await page.setViewportSize({ width, height: width > 600 ? 800 : 740 })
      await visit(page, view, words)
      for (const scheme of schemes) {
        await show(page, scheme)
        // In a full-page screenshot, the sticky header stays at the scroll position.
        await page.evaluate(() => window.scrollTo(0, 0))
        const path = join(FOLDER, pictureName(name, lang, scheme, width))
        await page.screenshot({ path, fullPage: !view.open || view.isWhole === true })
      }
    }
    await page.context().close()
  }
}

/** Puts all variants of a view on one picture, one language per row. Very long pages are cut off. */
async function makeSheet(browser: Browser, name: string) {
  const rows = languages.map((lang) => {
    const pictures = widths.flatMap((width) =>
      schemes.map((scheme) => pictureName(name, lang, scheme, width)),
    )
    return `<p>${pictures.map((picture) => `<img src="${picture}">`).join('')}</p>`
  })
  const style = `body{margin:8px;font:20px sans-serif}p{display:flex;gap:8px;align-items:start;margin:8px 0}
    img{height:auto;max-height:1600px;object-fit:cover;object-position:top;border:1px solid #999}
    img:nth-child(-n+2){width:640px}img:nth-child(n+3){width:240px}`
  const file = join(FOLDER, `${name}.html`)
  await writeFile(file, `<!doctype html><meta charset="utf-8"><style>${style}</style>${name}${rows.join('')}`)
  const page = await browser.newPage({ viewport: { width: 1820, height: 600 } })
  await page.goto(pathToFileURL(file).href)
  await page.screenshot({ path: join(FOLDER, `${name}.sheet.png`), fullPage: true })
  await page.close()
}

const wanted = process.argv.slice(2)
const chosen = Object.entries(views).filter(
  ([name]) => wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning)),
)
if (wanted.length === 0) await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const browser = await chromium.launch(await browserOptions())
try {
  await withGallery(browser, async (gallery) => {
    for (const [name, view] of chosen) {
      try {
        await lookAt(browser, gallery, name, view)
        await makeSheet(browser, name)
      } catch (error) {
        // The other views are worth looking at all the same.
        console.error(name, error)
        process.exitCode = 1
      }
    }
  })
  console.log(`${chosen.length} pages, each with a sheet of its variants: ${FOLDER}`)
} finally {
  await browser.close()
}
