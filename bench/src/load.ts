import autocannon from 'autocannon'

export type Load = {
  url: string
  tokens: string[]
  connections: number
  seconds: number
  body?: object | undefined
}

/** Calls an address from many connections, with one token after the other. Latencies are in ms. */
export async function load({ url, tokens, connections, seconds, body }: Load) {
  const requests = tokens.map((token) => ({
    method: body ? ('POST' as const) : ('GET' as const),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }))
  await autocannon({ url, requests, connections, duration: 1 })
  const times: number[] = []
  const running = autocannon({ url, requests, connections, duration: seconds })
  running.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  const { requests: answered, non2xx, errors } = await running
  times.sort((a, b) => a - b)
  const percentile = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: answered.average, p50: percentile(0.5), p95: percentile(0.95), failed: non2xx + errors }
}
