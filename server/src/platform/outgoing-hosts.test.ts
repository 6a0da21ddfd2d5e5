import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { configuredHosts, mayConnectTo, requireAllowedHosts } from './outgoing-hosts.ts'

const configOf = (env: Record<string, string>) => readConfig(env)

// R-2110
test.each([
  ['gate.whapi.cloud', true],
  ['GATE.whapi.cloud.', true],
  ['hooks.example.com', true],
  ['a.b.example.com', true],
  ['example.com', false],
  ['evilexample.com', false],
  ['gate.whapi.cloud.evil.com', false],
  ['10.0.0.7', true],
  ['10.0.0.8', false],
  ['[2001:db8::1]', true],
  ['a.example.org', true],
])('%s is allowed: %s', (host, isAllowed) => {
  const config = configOf({
    OUTGOING_HOSTS: 'Gate.whapi.cloud, *.example.com,10.0.0.7,2001:db8::1,*.Example.org.',
  })
  expect(mayConnectTo(host, config)).toBe(isAllowed)
  expect(mayConnectTo(host, configOf({}))).toBe(true)
})

const everything = {
  WHAPI_PARTNER_TOKEN: 'token',
  TEST_PROVIDER_URL: 'http://127.0.0.1:4000',
  PUBLIC_URL: 'https://send.example.com',
  SMTP_URL: 'smtp://me:hunter2@mail.example.com:587',
  MAIL_FROM: 'a@example.com',
  IMAGE_STORE: 's3://images/x?region=eu-central-1',
}

// R-2111
test('a process does not start that would connect to another host, and says which variable names that', () => {
  expect(configuredHosts(configOf(everything)).map(({ host }) => host)).toEqual([
    ...['gate.whapi.cloud', 'manager.whapi.cloud', '127.0.0.1', 'send.example.com', 'mail.example.com'],
    'images.s3.eu-central-1.amazonaws.com',
  ])
  expect(() => requireAllowedHosts(configOf(everything))).not.toThrow()
  const limited = { ...everything, OUTGOING_HOSTS: '*.whapi.cloud,127.0.0.1,*.example.com' }
  expect(() => requireAllowedHosts(configOf(limited))).toThrow(
    'OUTGOING_HOSTS does not allow images.s3.eu-central-1.amazonaws.com (IMAGE_STORE). Add these hosts',
  )
  expect(() => requireAllowedHosts(configOf({ OUTGOING_HOSTS: 'gate.whapi.cloud' }))).not.toThrow()
  expect(() => configOf({ OUTGOING_HOSTS: 'https://gate.whapi.cloud' })).toThrow(
    'OUTGOING_HOSTS must be hosts',
  )
})

// R-2132
test.each([
  ['s3://images?region=eu-central-1', 'images.s3.eu-central-1.amazonaws.com'],
  ['s3://my.images?region=eu-central-1', 's3.eu-central-1.amazonaws.com'],
  ['s3://images?region=cn-north-1', 'images.s3.cn-north-1.amazonaws.com.cn'],
  ['s3://images', 'images.s3.us-east-1.amazonaws.com'],
])('%s is at %s', (IMAGE_STORE, host) => {
  expect(configuredHosts(configOf({ IMAGE_STORE }))).toContainEqual({ variable: 'IMAGE_STORE', host })
})
