import type { Simulator, SimulatorOptions } from '@sendroom/simulator'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Providers } from '../src/providers/provider.ts'
import { startSimulator } from '../src/providers/test-mode.ts'
import { createWhapi } from '../src/providers/whapi.ts'

/** The tests of the file share one simulator, behind the real adapter. Faults end with their test. */
export function useSimulator(options: SimulatorOptions = {}) {
  let simulator: Simulator
  let whapi: ReturnType<typeof createWhapi>
  beforeAll(async () => {
    simulator = await startSimulator({ linkAfterMs: 50, ...options })
    whapi = createWhapi({ baseUrl: simulator.url })
  })
  afterEach(() => simulator.faults.clear())
  afterAll(async () => {
    await whapi.close()
    await simulator.close()
  })
  return {
    get simulator() {
      return simulator
    },
    providers: (): Providers => ({ live: whapi, test: whapi }),
    /** Changes the channel with this token, and creates it first if there is none. */
    change(token: string, change: Parameters<Simulator['channels']['change']>[1]) {
      simulator.channels.change(simulator.channels.create(token), change)
    },
  }
}
