import type { contract } from '@sendroom/contract'
import { context, type Fixture } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of lists and sets of groups. lists.routes.test.ts shows who sees lists that are not for all, and
// group-sets.routes.test.ts the same of sets.

const managers = (status: number): Statuses => [401, 401, status, 403, status, status]
const signedIn = (status: number): Statuses => [401, 401, status, status, status, status]
const assigned = (status: number): Statuses => [401, 401, 404, status, status, status]
const creators = (status: number): Statuses => [401, 401, 404, 403, status, status]

const newList = async () => of((await context.add.list({ isForAll: true })).id)
const newSelection = async () => ({ ids: [(await context.add.contact()).id] })
/** A list with a contact. */
async function newListed() {
  const contact = await context.add.contact()
  const list = await context.add.list({ contacts: [contact] })
  return { ...of(list.id), body: { ids: [contact.id] } }
}

export const listRows: RowsOf<typeof contract.lists> = {
  list: [managers(200), () => ({})],
  get: [managers(200), newList],
  create: [managers(201), ({ unique }) => ({ body: { name: unique } })],
  update: [managers(200), async ({ unique }) => ({ ...(await newList()), body: { name: unique } })],
  remove: [managers(204), newList],
  searchContacts: [managers(200), async () => ({ ...(await newList()), body: {} })],
  addContacts: [managers(200), async () => ({ ...(await newList()), body: await newSelection() })],
  removeContacts: [managers(200), newListed],
  users: [managers(200), () => ({})],
}

/** A set of the caller's own. */
const newSet = async ({ instanceId, user }: Fixture) =>
  of((await context.add.groupSet({ instanceId, createdByUserId: user?.id ?? null })).id)

export const groupSetRows: RowsOf<typeof contract.groupSets> = {
  list: [signedIn(200), () => ({})],
  get: [assigned(200), newSet],
  create: [
    [401, 401, 400, 403, 201, 201],
    ({ instanceId, group, unique }) => ({ body: { instanceId, name: unique, groupIds: [group.id] } }),
  ],
  update: [
    creators(200),
    async (fixture) => ({
      ...(await newSet(fixture)),
      body: { name: fixture.unique, groupIds: [fixture.group.id] },
    }),
  ],
  remove: [creators(204), newSet],
  users: [creators(200), ({ instanceId }) => of(instanceId)],
}
