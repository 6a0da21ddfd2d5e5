import { expect, test } from 'vitest'
import { Registration } from './session.ts'

const good = {
  username: 'lan',
  email: 'lan@example.com',
  password: 'secret1',
  repassword: 'secret1',
}

/** The error keys by field. */
function mistakes(change: Partial<typeof good>) {
  const { error } = Registration.safeParse({ ...good, ...change })
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]))
}

const longEmail = (before: number, all: number) => {
  const host = 'x'.repeat(60)
  const local = 'a'.repeat(before)
  const hostLength = all - before - 1
  const hosts = `${host}.`.repeat(Math.floor((hostLength - 4) / 61))
  return `${local}@${hosts}${'y'.repeat(hostLength - hosts.length - 4)}.com`
}

test('a complete registration is valid', () => {
  expect(mistakes({})).toEqual({})
})

test.each([
  //
  ['no username', { username: ' ' }, { username: 'REGISTER.USERNAME_REQUIRED' }],
  //
  ['a username of 2', { username: 'la' }, { username: 'REGISTER.USERNAME_REQUIRED' }],
  //
  ['a username of 101', { username: 'x'.repeat(101) }, { username: 'REGISTER.USERNAME_REQUIRED' }],
  ['an invisible character', { username: 'la\u200bn' }, { username: 'USER_FORM.USERNAME_UNREADABLE' }],
  //
  ['an invalid email', { email: 'lan' }, { email: 'REGISTER.EMAIL_INVALID' }],
  //
  ['65 characters before the at-sign', { email: longEmail(65, 120) }, { email: 'REGISTER.EMAIL_INVALID' }],
  //
  ['an email of 255 characters', { email: longEmail(64, 255) }, { email: 'REGISTER.EMAIL_INVALID' }],
  //
  ['an email of 254 characters, 64 before the at-sign', { email: longEmail(64, 254) }, {}],
  [
    //
    'a password of 5',
    { password: '12345', repassword: '12345' },
    { password: 'REGISTER.PASSWORD_REQUIRED' },
  ],
  [
    //
    'a password of 101',
    { password: 'x'.repeat(101), repassword: 'x'.repeat(101) },
    { password: 'REGISTER.PASSWORD_REQUIRED' },
  ],
  //
  ['different passwords', { repassword: 'secret2' }, { repassword: 'REGISTER.PASSWORD_NOT_MATCH' }],
  [
    //
    'different passwords and other errors',
    { username: '', email: '', repassword: 'secret2' },
    {
      username: 'REGISTER.USERNAME_REQUIRED',
      email: expect.any(String),
      repassword: 'REGISTER.PASSWORD_NOT_MATCH',
    },
  ],
])('a registration with %s', (_, change, expected) => {
  expect(mistakes(change)).toEqual(expected)
})

//
test('an empty field reports that it is empty before other errors', () => {
  const { error } = Registration.safeParse({ ...good, email: '', password: '', repassword: '' })
  const firstOf = (field: string) => error?.issues.find(({ path }) => path[0] === field)?.message
  expect(firstOf('email')).toBe('REGISTER.EMAIL_REQUIRED')
  expect(firstOf('repassword')).toBe('REGISTER.REPASSWORD_REQUIRED')
  expect(error?.issues.map(({ message }) => message)).toContain('REGISTER.PASSWORD_NOT_MATCH')
})
