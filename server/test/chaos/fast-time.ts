/**
 * Preloaded into the workers and the simulator (`--import`). Their time runs `speed` times as fast, so a lease of 20 s
 * is over in 2 s. All waits and clocks are scaled alike, the database's too (instruments.ts), so their relations are
 * those of production. Only the machine looks slower.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

export type FastTime = { originMs: number; speed: number }

const { originMs, speed }: FastTime = JSON.parse(process.env.FAST_TIME ?? '{"originMs":0,"speed":1}')

const realNow = Date.now
Date.now = () => originMs + (realNow() - originMs) * speed

const monotonic = performance.now.bind(performance)
performance.now = () => monotonic() * speed

// biome-ignore lint/suspicious/noExplicitAny: a timer takes whatever its callback takes
type Timer = (callback: (...args: any[]) => void, ms?: number, ...args: any[]) => unknown

/** Keeps the properties of the function, such as its promisified form. */
const accelerate = (timer: Timer) =>
  Object.assign(
    (...[callback, ms = 0, ...args]: Parameters<Timer>) => timer(callback, ms / speed, ...args),
    timer,
  )

const require = createRequire(import.meta.url)
const timers = require('node:timers')
const promises = require('node:timers/promises')
const realDelay = promises.setTimeout
promises.setTimeout = (ms = 0, ...rest: unknown[]) => realDelay(ms / speed, ...rest)
timers.setTimeout = accelerate(timers.setTimeout)
timers.setInterval = accelerate(timers.setInterval)
Object.assign(globalThis, { setTimeout: timers.setTimeout, setInterval: timers.setInterval })
syncBuiltinESMExports()
