declare module 'autocannon' {
  type Result = {
    requests: { average: number }
    latency: { p50: number; p97_5: number; p99: number }
    non2xx: number
    errors: number
  }
  /** Autocannon has no types of its own. This declaration covers the options that the benchmarks use. */
  export default function autocannon(options: {
    url: string
    connections: number
    duration: number
    /** Requests a second over all connections. */
    overallRate?: number
    /** Each connection sends them in turn. `setupRequest` changes a request each time that it is sent. */
    requests: {
      method: 'GET' | 'POST'
      headers?: Record<string, string>
      body?: string
      setupRequest?: (request: object) => object
    }[]
  }): Promise<Result> & {
    on: (
      event: 'response',
      listener: (client: object, status: number, bytes: number, ms: number) => void,
    ) => void
    stop: () => void
  }
}
