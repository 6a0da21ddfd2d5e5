import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { isExposed, urlsOf } from './listening.ts'

const at = (address: string, rest: Partial<NetworkInterfaceInfo> = {}) =>
  ({
    address,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    internal: false,
    ...rest,
  }) as NetworkInterfaceInfo // the rest is not read
const interfaces = {
  lo: [at('127.0.0.1', { internal: true }), at('::1', { internal: true })],
  eth0: [
    at('192.168.1.5'),
    at('2001:db8::5'),
    at('fe80::5', { scopeid: 2 } as Partial<NetworkInterfaceInfo>),
  ],
}

test.each([
  ['127.0.0.1', ['http://127.0.0.1:3000']],
  ['192.168.1.5', ['http://192.168.1.5:3000']],
  ['::1', ['http://[::1]:3000']],
  ['0.0.0.0', ['http://127.0.0.1:3000', 'http://192.168.1.5:3000']],
  ['::', ['http://127.0.0.1:3000', 'http://192.168.1.5:3000', 'http://[2001:db8::5]:3000']],
])('a server on %s is reached at %j', (address, urls) => {
  expect(urlsOf({ address, port: 3000, family: '' }, interfaces)).toEqual(urls)
})

test.each([
  ['127.0.0.1', false],
  ['127.8.0.1', false],
  ['::1', false],
  ['0.0.0.0', true],
  ['::', true],
  ['192.168.1.5', true],
])('whether other machines can connect to %s: %s', (address, exposed) => {
  expect(isExposed({ address, port: 3000, family: '' })).toBe(exposed)
})
