/** npm run dev: starts the server and Vite. The server restarts and the page reloads when a file changes. */
import './preflight.mjs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { commandOf, root } from './root.mjs'

const children = [
  spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/src/main.ts'], {
    cwd: root,
    stdio: 'inherit',
  }),
  spawn(process.execPath, [commandOf('vite')], { cwd: join(root, 'web'), stdio: 'inherit' }),
]

function stop() {
  for (const child of children) child.kill('SIGTERM')
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
for (const child of children) child.on('exit', stop)
