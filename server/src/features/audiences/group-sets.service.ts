import type { GroupSet, GroupSetChange, NewGroupSet } from '@sendroom/contract/group-sets'
import type { Named } from '@sendroom/contract/values'
import { type Begin, lockInstanceForShare } from '../../platform/access.ts'
import { changesOf, type Entry, record } from '../../platform/audit.ts'
import type { Db } from '../../platform/database/connection.ts'
import { isUniqueViolation } from '../../platform/database/errors.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { refuseIfInSeries } from '../../platform/series.ts'
import {
  deleteGroupSet,
  findGroupSet,
  insertGroupSet,
  lockGroupsForShare,
  replaceGroupsOfSet,
  replaceUsersOfSet,
  updateGroupSet,
} from './group-sets.queries.ts'

export const createGroupSet = (begin: Begin, { instanceId, ...form }: NewGroupSet): Promise<GroupSet> =>
  begin(async (tx, caller) => {
    if (!(await lockInstanceForShare(tx, caller, instanceId)))
      throw new InvalidInput({ instanceId: 'JOB.INSTANCE_INVALID' })
    const id = await insertGroupSet(tx, caller, instanceId, form).catch(refuseTakenName)
    await writeParts(tx, { id, instanceId }, form)
    const set = orNotFound(await findGroupSet(tx, caller, id))
    await record(tx, caller, entryOf('group_set.create', set, settingsOf(set)))
    return set
  })

export const changeGroupSet = (
  begin: Begin,
  id: number,
  { version, ...form }: GroupSetChange,
): Promise<GroupSet> =>
  begin(async (tx, caller) => {
    const before = orNotFound(await findGroupSet(tx, caller, id))
    const written = orNotFound(await updateGroupSet(tx, caller, id, form).catch(refuseTakenName))
    requireVersion(version, written.before)
    await writeParts(tx, { id, ...written }, form)
    const after = orNotFound(await findGroupSet(tx, caller, id))
    const changes = changesOf(settingsOf(before), settingsOf(after), ['name', 'groups', 'isForAll', 'users'])
    await record(tx, caller, entryOf('group_set.update', after, { instance: after.instance.name, changes }))
    return after
  })

export const removeGroupSet = (begin: Begin, id: number): Promise<void> =>
  begin(async (tx, caller) => {
    const known = orNotFound(await findGroupSet(tx, caller, id))
    // Whoever may not delete the set must not learn which series use it.
    if (known.canChange) await refuseIfInSeries(tx, 'group_sets', [id])
    const set = orNotFound(await deleteGroupSet(tx, caller, id))
    await record(tx, caller, entryOf('group_set.delete', set, {}))
  })

async function writeParts(
  tx: Db,
  set: { id: number; instanceId: number },
  { groupIds, userIds }: Pick<GroupSetChange, 'groupIds' | 'userIds'>,
): Promise<void> {
  const wanted = [...new Set(groupIds)]
  if ((await lockGroupsForShare(tx, set.instanceId, wanted)) < wanted.length)
    throw new InvalidInput({ groupIds: 'GROUP_SET_FORM.GROUP_INVALID' })
  await replaceGroupsOfSet(tx, set.id, wanted)
  await replaceUsersOfSet(tx, set, userIds)
}

const settingsOf = ({ name, instance, groups, isForAll, users }: GroupSet) => ({
  name,
  instance: instance.name,
  groups: groups.length,
  isForAll,
  users: users.map((user) => user.name),
})

const entryOf = (action: Entry['action'], { id, name }: Named, details: object): Entry => ({
  action,
  object: { type: 'group_set', id, name },
  details: { ...details },
})

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'group_sets_name') ? new Refusal('group_set_taken') : error
}
