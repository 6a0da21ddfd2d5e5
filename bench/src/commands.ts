import type { Program } from '../../server/test/process.ts'
import { peakMegabytes } from './processes.ts'

/** Runs a command to its end. Returns its time and the most memory that its process had. */
export async function measure(name: string, program: Program) {
  const begin = performance.now()
  let peak = 0
  const timer = setInterval(() => {
    try {
      peak = peakMegabytes(program.pid)
    } catch {} // the process has ended
  }, 50)
  const code = await program.ended
  clearInterval(timer)
  if (code !== 0) throw new Error(`${name} failed:\n${program.stdout}${program.stderr}`)
  return { command: name, seconds: (performance.now() - begin) / 1000, 'peak memory, MB': peak }
}
