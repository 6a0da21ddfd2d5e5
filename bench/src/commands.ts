import { readFileSync } from 'node:fs'
import type { Program } from '../../server/test/process.ts'

/** Runs a command to its end. Returns its time and the most memory that its process had. */
export async function measure(name: string, program: Program) {
  const begin = performance.now()
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, peakMegabytes(program.pid))), 50)
  const code = await program.ended
  clearInterval(timer)
  if (code !== 0) throw new Error(`${name} failed:\n${program.stdout}${program.stderr}`)
  return { command: name, seconds: (performance.now() - begin) / 1000, 'peak memory, MB': peak }
}

function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0 // the process has ended
  }
}
