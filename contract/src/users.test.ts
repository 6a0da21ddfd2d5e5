import { expect, test } from 'vitest'
import type { z } from 'zod'
import { ChangePassword, NewUser } from './users.ts'

const good = { username: 'lan', email: 'lan@example.com', password: 'secret', role: 'Member' }

function mistakes(schema: z.ZodType, form: Record<string, unknown>) {
  const { error } = schema.safeParse(form)
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]))
}

test.each([
  //
  ['of 5', '12345', '12345', { password: 'CHANGE_PASSWORD.PASSWORD_INVALID' }],
  //
  ['of 6', '123456', '123456', {}],
  //
  ['of 101', 'x'.repeat(101), 'x'.repeat(101), { password: 'CHANGE_PASSWORD.PASSWORD_INVALID' }],
  //
  ['with a different confirmation', 'secret1', 'secret2', { confirm: 'CHANGE_PASSWORD.NOT_MATCH' }],
  [
    //
    'that is too short, with a different confirmation',
    '123',
    '124',
    { password: 'CHANGE_PASSWORD.PASSWORD_INVALID', confirm: 'CHANGE_PASSWORD.NOT_MATCH' },
  ],
])('a new password %s', (_, password, confirm, expected) => {
  expect(mistakes(ChangePassword, { password, confirm })).toEqual(expected)
})

//
test('a confirmation is required', () => {
  const { error } = ChangePassword.safeParse({ password: 'secret1', confirm: '' })
  expect(error?.issues[0]).toMatchObject({ path: ['confirm'], message: 'CHANGE_PASSWORD.CONFIRM_REQUIRED' })
})

const unreadable = { username: 'USER_FORM.USERNAME_UNREADABLE' }

test.each([
  ['a zero-width space', 'la\u200bn'],
  ['a zero-width joiner', 'la\u200dn'],
  ['a byte order mark', 'la\ufeffn'],
  ['a change of direction', 'la\u202en'],
  ['an isolate', 'la\u2066n'],
  ['a soft hyphen', 'la\u00adn'],
  ['a grapheme joiner', 'la\u034fn'],
  ['a variation selector', 'la\ufe0fn'],
  ['a Hangul filler', 'la\u3164n'],
  ['an empty Braille cell', 'la\u2800n'],
  ['a control character', 'la\u0007n'],
  ['a line break', 'la\nn'],
  ['a private character', 'la\ue000n'],
  ['an unassigned character', 'la\u0378n'],
  ['half a pair', 'la\ud800n'],
  ['a no-break space', 'la\u00a0n'],
  ['two spaces', 'la  n'],
])('a new username with %s is refused', (_, name) => {
  expect(mistakes(NewUser, { ...good, username: name })).toEqual(unreadable)
})

test.each(['Đặng Thị Ánh', '李小龙', 'o’brien', 'lan.anh+1@shop', '🌸 shop'])('%s is a username', (name) => {
  expect(mistakes(NewUser, { ...good, username: name })).toEqual({})
})

test('a username is stored in one form, without spaces around it', () => {
  const decomposed = 'Đặng'.normalize('NFD')
  expect(NewUser.parse({ ...good, username: ` ${decomposed} ` }).username).toBe('Đặng'.normalize('NFC'))
})
