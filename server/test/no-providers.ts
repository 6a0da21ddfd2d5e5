import type { Providers } from '../src/providers/provider.ts'

const refuse = (name: string) => () => {
  throw new Error(`This test called the provider (${name}) without bringing one.`)
}

/** For tests that must not reach any provider: every call fails the test. */
export const noProviders = {
  live: new Proxy({}, { get: (_target, name) => refuse(String(name)) }),
  test: new Proxy({}, { get: (_target, name) => refuse(String(name)) }),
} as Providers // a proxy answers every name of the port
