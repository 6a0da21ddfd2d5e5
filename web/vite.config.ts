import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

// Neither the dashboard nor the first list loads these: they are no part of the shell's file.
const ofOtherPages = [
  ...[
    'dialog',
    'whatsapp',
    'channel-badge',
    'outcome-badge',
    'message-title',
    'kind-icon',
    'picture',
    'fact',
  ],
  ...[
    'copy-button',
    'shown-once',
    'reload-if-idle',
    'use-now',
    'variable-marks',
    'punctuation',
    'confirm-password',
    'use-all',
    'download',
  ],
]
const iconsOfOtherPages = [
  ...[
    'ArrowBackUp',
    'ArrowLeft',
    'Ban',
    'Braces',
    'Copy',
    'Eye',
    'FileImport',
    'FileText',
    'Flag',
    'MapPin',
    'Message2Cog',
    'Microphone',
  ],
  ...['Music', 'PhoneCheck', 'Photo', 'PhotoOff', 'PlayerSkipForward', 'RotateClockwise', 'Tag'],
  ...['UserQuestion', 'Video'],
]
const inShell = new RegExp(
  String.raw`web[\\/]src[\\/](app[\\/]shell|features[\\/]dashboard[\\/]dashboard-page` +
    String.raw`|(api|i18n|format|ui)\b(?!.*(${ofOtherPages.join('|')})\b))` +
    String.raw`|@tabler(?!.*Icon(${iconsOfOtherPages.join('|')})\.)`,
)

/**
 * Modules that are loaded together form one file. Otherwise each icon and small component would be a file of its own,
 * and a phone would wait for forty responses. A module and its imports go to the first group that matches.
 */
const files = [
  // The entry, which starts loading everything else.
  { name: 'index', tags: ['$initial' as const] },
  // A separate file, because it stays cached across versions of the app.
  { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
  // For the login page.
  { name: 'start', test: /src[\\/]app[\\/]start/ },
  // For every signed-in user: nearly all that several pages have.
  { name: 'shell', test: inShell },
  // Two pages have sessions, which are no list page.
  { name: 'lists', test: /src[\\/]lists[\\/](?!sessions)/ },
  // Both are small, and most pages that have one have the other.
  { name: 'fact', test: /web[\\/]src[\\/](ui[\\/]fact|i18n[\\/]punctuation)/ },
]

/**
 * Adds preload links for the files that `main.ts` always imports, so that they load in parallel with it. Their low
 * priority leaves the bandwidth of a slow connection to the logo and its style.
 */
const preloadStart: Plugin = {
  name: 'preload-start',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const start = Object.values(bundle).find(({ name }) => name === 'start')
      if (start?.type !== 'chunk') return []
      const scripts = [start.fileName, ...start.imports].filter((file) => !html.includes(file))
      const styles = [...(start.viteMetadata?.importedCss ?? [])]
      return [
        ...scripts.map((file) => link('modulepreload', file, { fetchpriority: 'low' })),
        ...styles.map((file) => link('stylesheet', file)),
      ]
    },
  },
}

const link = (rel: string, file: string, more = {}): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel, crossorigin: true, ...more, href: `/${file}` },
  injectTo: 'head',
})

/** Writes a .br and a .gz file beside each text file, so that the server need not compress responses. */
function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(build.outDir.startsWith('/') ? '' : root, build.outDir)
    },
    closeBundle: () => {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg|json)$/.test(name)) continue
        const file = join(folder, name)
        const content = readFileSync(file)
        writeFileSync(`${file}.br`, brotliCompressSync(content))
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}

const api = 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadStart, precompress()],
  build: {
    target: 'es2023',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: files } } },
  },
  server: { proxy: { '/api': api, '/images': api, '/files': api } },
})
