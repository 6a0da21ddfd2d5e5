import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Returns the CPU seconds that a process has used, optionally with its children, also ended ones. Linux only. */
export function cpuSeconds(pid: number, withChildren = false): number {
  const children = withChildren
    ? childrenOf(pid).reduce((sum, child) => sum + ticksOf(child), ticksOfEnded(pid))
    : 0
  return (ticksOf(pid) + children) / TICKS_PER_SECOND
}

/** Returns the resident memory of a process in MB. Linux only. */
export const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/**
 * Returns the memory of a server and all that it has started, PostgreSQL too, in MB, and what is the server's own and
 * what are PostgreSQL's buffers. These are proportional sizes (PSS): a page that several processes have counts once.
 * Resident sizes (RSS) would count the buffers again with each of 40 connections. Linux only.
 */
export function treeMemory(server: number, postgres: number) {
  const known = new Set([server, postgres])
  // A set also visits what is added meanwhile.
  for (const pid of known) for (const child of childrenOf(pid)) known.add(child)
  const rollups = [...known].map(rollupOf)
  const sum = (name: string) =>
    rollups.reduce(
      (sum, rollup) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0),
      0,
    )
  return { all: sum('Pss') / 1024, ofServer: residentMegabytes(server), ofBuffers: sum('Pss_Shmem') / 1024 }
}

function rollupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  } catch {
    return '' // the process has ended
  }
}

/** Returns the most resident memory that a process has had, in MB. `reset` begins anew with the present. Linux only. */
export function peakMegabytes(pid: number, reset = false): number {
  if (reset) writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** USER_HZ, see proc(5): 100 on every common machine. */
const TICKS_PER_SECOND = 100

/** Returns user and system time, fields 14 and 15 of /proc/PID/stat. `statOf` drops the first two. */
function ticksOf(pid: number): number {
  const fields = statOf(pid)
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

/** Returns the time of the children that have ended, fields 16 and 17. */
function ticksOfEnded(pid: number): number {
  const fields = statOf(pid)
  return Number(fields[13] ?? 0) + Number(fields[14] ?? 0)
}

const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => Number(statOf(child)[1]) === pid)

/** Returns the fields of /proc/PID/stat after the process name. The name may contain spaces and parentheses. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return [] // the process has ended
  }
}
