import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * An address of this machine or its network. Its services trust whoever reaches them, or know secrets of the machine.
 */
export class OwnNetwork extends Error {
  readonly code = 'OWN_NETWORK'
}

/** All of IPv6 that is assigned to the internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Deny by default: every special range is refused, also those that only wrap an IPv4 address. */
export function isPublic(text: string): boolean {
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false
  return address.range() === 'unicast'
}

/** Throws for a URL whose host is such an address. Node looks up names only. `URL` has turned 0x7f.1 into 127.0.0.1. */
export function requirePublic({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) && !isPublic(address)) throw new OwnNetwork()
}

/** The look-ups under way. Each takes one of two threads, and the provider's names need these threads as well. */
const running = new Map<string, Promise<LookupAddress[]>>()

function findAddresses(name: string): Promise<LookupAddress[]> {
  const found = running.get(name) ?? dns.lookup(name, { all: true }).finally(() => running.delete(name))
  running.set(name, found)
  return found
}

/** Looks a name up for connections, once for all that need it at a time. */
export const lookupAny: LookupFunction = (name, options, callback) =>
  reply(findAddresses(name), options, callback)

/**
 * Looks a name up like `lookupAny`, and leaves only public addresses. Because the connection uses this very answer, a
 * name that means another address a moment later gains nothing.
 */
export const lookupPublic: LookupFunction = (name, options, callback) =>
  reply(findAddresses(name).then(onlyPublic), options, callback)

function onlyPublic(found: LookupAddress[]): LookupAddress[] {
  const allowed = found.filter(({ address }) => isPublic(address))
  if (allowed.length === 0) throw new OwnNetwork()
  return allowed
}

type Callback = Parameters<LookupFunction>[2]

function reply(found: Promise<LookupAddress[]>, { all }: { all?: boolean | undefined }, callback: Callback) {
  found.then(
    (addresses) =>
      all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
    (error) => callback(error, []),
  )
}
