import ipaddr from 'ipaddr.js'

/** Whether one of these addresses and ranges has the address. Without any, every address is permitted. */
export function isWithin(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const present = ipaddr.process(address)
  return allowed.some((entry) => {
    const range = rangeOf(entry)
    return range !== null && range[0].kind() === present.kind() && present.match(range as never)
  })
}

/** IPv4 that is written as IPv6 is that IPv4 address or range. Returns null for what is neither. */
function rangeOf(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (ipaddr.isValidCIDR(entry)) {
    const [start, bits] = ipaddr.parseCIDR(entry)
    const isMapped = start instanceof ipaddr.IPv6 && start.isIPv4MappedAddress() && bits >= 96
    return isMapped ? [start.toIPv4Address(), bits - 96] : [start, bits]
  }
  if (!ipaddr.isValid(entry)) return null
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
