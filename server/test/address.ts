import type { Endpoint } from '@sendroom/contract/endpoint'

/** The path and query of a call, with everything filled in. */
export function addressOf(endpoint: Endpoint, params: object = {}, query: object = {}): string {
  const path = Object.entries(params).reduce<string>(
    (path, [name, value]) => path.replace(`:${name}`, encodeURIComponent(String(value))),
    endpoint.path,
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `/api${path}${search.size ? `?${search}` : ''}`
}
