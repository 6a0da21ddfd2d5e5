import { type AddressInfo, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** The addresses under which a listening server can be reached, that of this machine first. */
export function urlsOf(bound: AddressInfo, interfaces = networkInterfaces()): string[] {
  const url = (host: string) => `http://${isIPv6(host) ? `[${host}]` : host}:${bound.port}`
  if (bound.address !== '0.0.0.0' && bound.address !== '::') return [url(bound.address)]
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? [])
  const others = all
    // An IPv6 wildcard takes IPv4 too. A link-local address needs the name of a network interface.
    .filter(
      ({ family, internal, scopeid }) =>
        !internal && !scopeid && (family === 'IPv4' || bound.address === '::'),
    )
    .map(({ address }) => url(address))
  return [url('127.0.0.1'), ...others]
}

/** Whether other machines can connect. */
export const isExposed = ({ address }: AddressInfo) => !/^(127\.|::1$|::ffff:127\.)/.test(address)
