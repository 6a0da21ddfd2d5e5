import { parentPort } from 'node:worker_threads'
import type { Call } from './worker-thread.ts'

// Runs in the worker thread: one call after the other, each a function of a module.
parentPort?.on('message', async ({ module, name, input }: Call) => {
  try {
    const functions = await import(module)
    parentPort?.postMessage({ output: await functions[name](input) })
  } catch (error) {
    parentPort?.postMessage({ error })
  }
})
