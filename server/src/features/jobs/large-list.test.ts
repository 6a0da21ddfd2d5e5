import { expect, test } from 'vitest'
import type { HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { withRecipients } from './large-list.ts'

const nobody = {
  ...{ phoneNumbers: '', contactIds: [], listIds: [], excludedListIds: [], groupIds: [], groupSetIds: [] },
}
const toPeople = { ...nobody, jobType: 'SendToUsers' as const }
const toGroups = { ...nobody, jobType: 'SendToGroups' as const }

//
test.each([
  ['a number', { ...toPeople, phoneNumbers: '0901234567' }, 'at once'],
  ['thousands of numbers', { ...toPeople, phoneNumbers: '0901234567\n'.repeat(1000) }, 'in turn'],
  ['a list', { ...toPeople, listIds: [1] }, 'in turn'],
  [
    'a number without the people of a list',
    { ...toPeople, phoneNumbers: '1', excludedListIds: [1] },
    'in turn',
  ],
  ['a group', { ...toGroups, groupIds: [1] }, 'at once'],
  ['thousands of groups', { ...toGroups, groupIds: Array(1001).fill(1) }, 'in turn'],
  ['a set of groups', { ...toGroups, groupSetIds: [1] }, 'in turn'],
])('the work on a job to %s begins', async (_, recipients, expected) => {
  let begun = 'at once'
  const heavyWork = {
    async run() {
      begun = 'in turn'
    },
  } as unknown as HeavyWork // nothing else is called
  const request = { caller: { id: 1, apiKey: null }, signal: new AbortController().signal }
  await withRecipients(heavyWork, request, recipients, async () => {})
  expect(begun).toBe(expected)
})
