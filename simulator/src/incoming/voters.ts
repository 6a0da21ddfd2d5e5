import { findGroup, type GroupNumbers, participantsOf } from '../seed/groups.ts'
import type { Channel } from '../state/channels.ts'
import type { LedgerEntry, Vote } from '../state/ledger.ts'

/** So many members of each group vote. */
const voterCount = 3

/**
 * Returns the votes in a poll, if the channel's token asks for some: one member of the group chooses the first option,
 * the next one the second, and so on. Where several answers are allowed, the last voter chooses the first one as well.
 */
export function votesByHabit(
  channel: Channel,
  { id, to, poll }: LedgerEntry,
  groupNumbers: GroupNumbers,
): Omit<Vote, 'token'>[] {
  const group = findGroup(channel.seed, to, groupNumbers)
  if (!poll || !group || !/^test_linked_votes/.test(channel.token)) return []
  const others = participantsOf(channel.seed, group, channel.number).filter(({ id }) => id !== channel.number)
  const { options, isSingle } = poll
  return others.slice(0, voterCount).map(({ id: voter }, place) => {
    const [first = '', own = first] = [options[0], options[place % options.length]]
    const choosesFirst = !isSingle && place === voterCount - 1
    return { id, voter, options: [...new Set(choosesFirst ? [first, own] : [own])] }
  })
}
