import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address of this machine or its network. Its services trust whoever reaches them, or know secrets of the machine. */
export class OwnNetwork extends Error {
  readonly code = 'OWN_NETWORK'
}

/** Deny by default: every special range is refused, also those that only wrap an IPv4 address. */
export const isPublic = (address: string): boolean => ipaddr.process(address).range() === 'unicast'

/** Throws for a URL whose host is such an address. Node looks up names only. `URL` has turned 0x7f.1 into 127.0.0.1. */
export function requirePublic({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) && !isPublic(address)) throw new OwnNetwork()
}

/**
 * Looks a name up for a connection, and leaves only public addresses. Because the connection uses this very answer, a
 * name that means another address a moment later gains nothing.
 */
export const lookupPublic: LookupFunction = (name, options, callback) =>
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, [])
    const allowed = found.filter(({ address }) => isPublic(address))
    const [first] = allowed
    if (!first) return callback(new OwnNetwork(), [])
    if (options.all) return callback(null, allowed as LookupAddress[])
    callback(null, first.address, first.family)
  })
