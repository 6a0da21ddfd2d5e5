import type { GroupSet } from '@sendroom/contract/group-sets'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { group } from '../../../test/group.ts'
import { instance } from '../../../test/instance.ts'
import { member, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf } from '../../../test/server.ts'
import { fillIn, isDisabled } from '../../../test/steps.ts'
import '../../forms/pick-dialog.tsx'
import './group-set-form-page.tsx'
import './group-sets-page.tsx'

const set: GroupSet = {
  id: 4,
  name: 'North',
  instance: { id: instance.id, name: instance.name },
  groupCount: 2,
  leftCount: 1,
  isForAll: false,
  canChange: true,
  createdByUserName: 'minh',
  createdAt: '2026-11-22T08:00:00.000Z',
  version: 2,
  groups: [
    { id: group.id, name: group.name, hasLeft: false },
    { id: 99, name: 'Old friends', hasLeft: true },
  ],
  users: [{ id: 3, name: 'huy' }],
}
const answers: Answers = {
  'GET /group-sets': () => pageOf([set, { ...set, id: 5, name: 'South', leftCount: 0, canChange: false }]),
  'GET /group-sets/:id': () => set,
  'GET /instances': () => pageOf([instance]),
  'GET /instances/:id/members': () => ({ users: [{ id: 3, name: 'huy' }] }),
  'POST /groups/search': () => pageOf([group]),
}
const open = (path: string, more: Answers = {}, user = member) =>
  renderApp({ path, user, answers: { ...answers, ...more } })

//
test('a set shows how many groups the account has left, and only its owner changes it', async () => {
  open('/group-sets')
  const north = within(await screen.findByRole('row', { name: /North/ }))
  expect(north.getByText('1 left')).toBeTruthy()
  expect(isDisabled(north.getByRole('button', { name: 'Edit' }))).toBe(false)
  const south = within(screen.getByRole('row', { name: /South/ }))
  expect(south.queryByText(/left/)).toBeNull()
  for (const name of ['Edit', 'Delete']) expect(isDisabled(south.getByRole('button', { name }))).toBe(true)
})

//
test('a Member who creates no jobs may look at sets only', async () => {
  open('/group-sets/new', {}, { ...member, canCreateJobs: false })
  expect(await screen.findByText(/^You can’t create jobs/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})

//
test('a set is made of groups of one account and shared', async () => {
  const { person, requests, router } = open('/group-sets/new', { 'POST /group-sets': () => set })
  await fillIn(person, await screen.findByLabelText(/^Name/), 'North')
  await person.click(screen.getByRole('combobox', { name: /^Account/ }))
  await person.click(await screen.findByRole('option', { name: instance.name }))
  await waitFor(() => expect(isDisabled(screen.getByRole('button', { name: 'Choose groups' }))).toBe(false))
  await person.click(screen.getByRole('button', { name: 'Choose groups' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByLabelText('Select all'))
  await person.click(dialog.getByRole('button', { name: 'Confirm' }))
  await person.click(screen.getByRole('combobox', { name: 'Shared with' }))
  await person.click(await screen.findByRole('option', { name: 'huy' }))
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/group-sets'))
  expect(requests.find(({ name }) => name === 'POST /group-sets')?.body).toEqual({
    name: 'North',
    instanceId: instance.id,
    groupIds: [group.id],
    isForAll: false,
    userIds: [3],
  })
})

//
test('the form names the groups that the account has left, and keeps them until somebody removes them', async () => {
  const { person, requests } = open('/group-sets/edit/4', { 'PUT /group-sets/:id': () => set })
  expect(await screen.findByText(/Old friends/)).toBeTruthy()
  await fillIn(person, screen.getByLabelText(/^Name/), 'Far north')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(requests.find(({ name }) => name === 'PUT /group-sets/:id')?.body).toEqual({
      name: 'Far north',
      groupIds: [group.id, 99],
      isForAll: false,
      userIds: [3],
      version: 2,
    }),
  )
})
