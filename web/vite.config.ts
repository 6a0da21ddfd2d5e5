import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

/**
 * What is loaded together is one file: alone, each icon and each small component would be one, and a phone would wait
 * for forty answers. The first group that wants a module has it, with all it imports.
 */
const files = [
  // Sends for the rest.
  { name: 'index', tags: ['$initial' as const] },
  // Stays the same from version to version.
  { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
  // What the login needs.
  { name: 'start', test: /src[\\/]app[\\/]start/ },
  // What everybody needs who is signed in.
  {
    name: 'shell',
    test: /src[\\/](app[\\/]shell|features[\\/]dashboard[\\/]dashboard-page|(api|i18n|format|ui)\b(?!.*(dialog|whatsapp)))|@tabler/,
  },
  { name: 'lists', test: /src[\\/]lists[\\/]/ },
]

/**
 * index.html names what `main.ts` sends for in any case, so that it comes beside it, not after it. The mark and its
 * style go before: they are little, and on a slow line the code would share it with them.
 */
const nameStart: Plugin = {
  name: 'name-start',
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

/** Leaves a .br and a .gz beside each text file, so that the server compresses nothing while it serves. */
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
  plugins: [react(), nameStart, precompress()],
  build: {
    target: 'es2023',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: files } } },
  },
  server: { proxy: { '/api': api, '/images': api } },
})
