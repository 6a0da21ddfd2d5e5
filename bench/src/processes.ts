import { readdirSync, readFileSync } from 'node:fs'

/** What a process has used of the processors so far, with those it started if asked; Linux only. */
export function cpuSeconds(pid: number, withChildren = false): number {
  const children = withChildren ? childrenOf(pid) : []
  return [pid, ...children].reduce((sum, one) => sum + ticksOf(one), 0) / TICKS_A_SECOND
}

export const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const TICKS_A_SECOND = 100

/** Fields 14 and 15 of proc(5): user and system; the name before them may hold anything. */
function ticksOf(pid: number): number {
  const fields = statOf(pid)
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => Number(statOf(one)[1]) === pid)

function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return [] // ended meanwhile
  }
}
