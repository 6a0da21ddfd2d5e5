import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Simulator, SimulatorOptions } from '@sendroom/simulator'
import type { Provider } from './provider.ts'
import { createWhapi } from './whapi.ts'

export interface TestProvider {
  provider: Provider
  /** The simulator's base URL, for another process on this machine. The path holds the secret key. */
  url: string
  close(): Promise<void>
}

/** Starts the provider of test-mode instances: a simulator on loopback that keeps its state in `dataDir`. */
export async function startTestProvider({ dataDir }: { dataDir: string }): Promise<TestProvider> {
  const pathKey = randomBytes(16).toString('hex')
  const simulator = await startSimulator({ pathKey, file: join(dataDir, 'simulator.jsonl') })
  const provider = createWhapi({ baseUrl: simulator.url })
  return {
    provider,
    url: simulator.url,
    async close() {
      await provider.close()
      await simulator.close()
    },
  }
}

/** Starts a simulator. Loads its code only now, so that a process without test mode saves the memory. */
export async function startSimulator(options?: SimulatorOptions): Promise<Simulator> {
  const simulator = await import('@sendroom/simulator')
  return simulator.startSimulator(options)
}
