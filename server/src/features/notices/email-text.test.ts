import { languages } from '@sendroom/contract/languages'
import { noticeKinds } from '@sendroom/contract/notice-kinds'
import { reasonWords } from '@sendroom/contract/reasons'
import { expect, test } from 'vitest'
import { emailOf } from './email-text.ts'
import { bellTexts } from './email-words.ts'
import type { DueNotice } from './notices.queries.ts'

test.each(languages)('the texts of the web app have every heading and every reason in %s', (language) => {
  const { NOTICE, REASON } = bellTexts(language)
  expect([NOTICE.BEGIN, NOTICE.END].map(Object.keys)).toEqual([noticeKinds, noticeKinds])
  expect(Object.keys(REASON)).toEqual(expect.arrayContaining(Object.keys(reasonWords)))
})

const notice = (fields: Partial<DueNotice>): DueNotice => ({
  id: 1,
  kind: 'account_down',
  instance: { id: 1, name: 'Shop' },
  job: null,
  series: null,
  apiKey: null,
  host: '',
  reason: null,
  beganAt: '2026-11-22T20:12:00.000Z',
  endedAt: null,
  expiresAt: null,
  moment: 'begin',
  ...fields,
})

// R-2168
test('what concerns the sign-in comes first in an email, before all that a thief can make fail', () => {
  const { subject, text } = emailOf(
    { id: 1, username: 'minh', email: 'minh@example.com', language: 'en' },
    [...noticeKinds, ...noticeKinds].toReversed().map((kind) => notice({ kind })),
    undefined,
  )
  expect(subject).toMatch(/^Sendroom: Sign-in from a new browser \(2\); Changes to your sign-in \(2\); /)
  expect(text.split('\n\n')[1]).toMatch(/^Sign-in from a new browser \(2\)/)
})

test('an email has a section for each kind, what is over comes last, and long lists are cut', () => {
  const reason = { code: 'account_failures', params: { count: 10 } } as const
  const job = { id: 7, name: 'Hello\r\nall' }
  const { subject, text } = emailOf(
    { id: 1, username: 'minh', email: 'minh@example.com', language: 'en' },
    [
      notice({ moment: 'end', endedAt: '2026-11-22T21:00:00.000Z' }),
      ...Array.from({ length: 101 }, () => notice({ reason })),
      notice({ kind: 'account_expiring', expiresAt: '2026-11-30T00:00:00.000Z' }),
      notice({ kind: 'job_stuck', moment: 'reminder', job }),
      notice({ kind: 'disk_low', instance: null, host: 'server-1' }),
    ],
    undefined,
  )
  expect(subject).toBe(
    'Sendroom: Accounts that can’t send (101); Accounts that expire soon: Shop; Disk nearly full: server-1; Still: Jobs that stand still: #7 Hello all (Sho…',
  )
  expect(text.split('\n').filter((line, n, all) => line !== all[n - 1])).toEqual([
    'Hello minh,',
    '',
    'Accounts that can’t send (101)',
    '- Shop: The last 10 messages of this account failed. Check the account before you resume sending. (since 23 Nov 2026, 03:12)',
    '… and 1 more.',
    '',
    'Accounts that expire soon (1)',
    '- Shop (expires on 30 Nov 2026, 07:00)',
    '',
    'Disk nearly full (1)',
    '- server-1 (since 23 Nov 2026, 03:12)',
    '',
    'Still: Jobs that stand still (1)',
    '- #7 Hello all (Shop) (since 23 Nov 2026, 03:12)',
    '',
    'Accounts that can send again (1)',
    '- Shop (23 Nov 2026, 03:12 to 23 Nov 2026, 04:00)',
    '',
    'To choose what Sendroom tells you, open the bell in Sendroom and then the settings.',
    '',
  ])
})
