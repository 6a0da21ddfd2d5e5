import { hasOddGroups, lastDigits, mix, seedOf } from './hash.ts'
import { groupNames, shopGroupAreas, shopGroupKinds } from './names.ts'
import { hidesNumber, peopleCount, personLid, personNumber } from './people.ts'

/** The index of a group that the channel has left: no list reaches this far. */
const leftIndex = 999_999

/** Index of each special group. The special groups come first in every channel with odd groups. */
const specialIndex = {
  announcementsOnly: 0,
  withoutParticipants: 1,
  legacy: 2,
  announcementsAsAdmin: 3,
  large: 4,
  nameless: 5,
  communityAnnounce: 6,
  hiddenNumbers: 7,
} as const

type Special = keyof typeof specialIndex

export type Rank = 'creator' | 'admin' | 'member'

/** A group without its participants. Groups are not stored: every call computes them from the seed. */
export interface SeededGroup {
  index: number
  id: string
  name: string | undefined
  size: number
  /** The channel's own rank in the group. */
  ourRank: Rank
  /** Only admins may send. */
  announcements: boolean
  /** The announcement group of a community. */
  isCommunityAnnounce: boolean
  /** Arrives without `participants`. */
  hidesParticipants: boolean
  /** Shows all other participants as `…@lid`. */
  hidesNumbers: boolean
  /** Unix seconds. */
  createdAt: number
}

export interface Participant {
  /** Digits, or `…@lid` where WhatsApp hides the number. */
  id: string
  rank: Rank
}

/**
 * Returns the id of a channel's group. Valid indexes are 0 to `groupsPerChannel` - 1. An id has 18 digits: WhatsApp's
 * prefix 120363, six digits of the channel's seed and six of the index. `findGroup` reads the index back.
 */
export function groupId(token: string, index: number): string {
  return idOf(seedOf(token), index)
}

/**
 * Returns the ids of a channel's special groups by name. Without odd groups, these are groups like all others:
 *
 * - `announcementsOnly`, `communityAnnounce`: only admins may send and we are a plain member, so a send is 403
 * - `announcementsAsAdmin`: only admins may send and we are an admin
 * - `left`: missing from the list; reading the group is 404, sending is 403
 * - `withoutParticipants`, `nameless`: arrive without `participants` or `name`, as observed on the live API
 * - `legacy`: has an id of WhatsApp's old form `<phone>-<unix>@g.us`
 * - `large`: has 1,024 participants
 * - `hiddenNumbers`: shows all other participants as `…@lid`
 */
export function specialGroups(token: string): Record<keyof typeof specialIndex | 'left', string> {
  const seed = seedOf(token)
  const ids = Object.fromEntries(
    Object.entries(specialIndex).map(([name, index]) => [name, idOf(seed, index)]),
  )
  // Object.fromEntries loses the key type.
  return { ...(ids as Record<keyof typeof specialIndex, string>), left: idOf(seed, leftIndex) }
}

function idOf(seed: number, index: number): string {
  if (isSpecial(seed, index, 'legacy'))
    return `${personNumber(seed, 0)}-${1_400_000_000 + (seed % 100_000_000)}@g.us`
  return `120363${lastDigits(seed, 6)}${lastDigits(index, 6)}@g.us`
}

/** How many groups each channel has, and how many participants each group. Undefined means sizes as in real life. */
export interface GroupNumbers {
  groupsPerChannel: number
  participantsPerGroup: number | undefined
}

/** Returns the group with this id, or undefined if the channel is not in such a group. */
export function findGroup(seed: number, id: string, numbers: GroupNumbers): SeededGroup | undefined {
  const index = id === idOf(seed, specialIndex.legacy) ? specialIndex.legacy : Number(id.slice(12, 18))
  if (!(index < numbers.groupsPerChannel) || idOf(seed, index) !== id) return undefined
  return groupAt(seed, index, numbers)
}

/** Returns the group at an index. Does not check that the channel has so many groups. */
export function groupAt(
  seed: number,
  index: number,
  { participantsPerGroup }: Pick<GroupNumbers, 'participantsPerGroup'>,
): SeededGroup {
  const chance = mix(seed, index)
  const isOne = (...names: Special[]) => names.some((name) => isSpecial(seed, index, name))
  return {
    index,
    id: idOf(seed, index),
    name: isOne('nameless') ? undefined : nameOf(seed, index),
    size: participantsPerGroup ?? (isOne('large') ? 1024 : sizeOf(chance)),
    ourRank: ourRankIn(seed, index, chance),
    announcements: isOne('announcementsOnly', 'announcementsAsAdmin', 'communityAnnounce'),
    isCommunityAnnounce: isOne('communityAnnounce'),
    hidesParticipants: isOne('withoutParticipants'),
    hidesNumbers: isOne('hiddenNumbers'),
    createdAt: 1_600_000_000 + (chance % 150_000_000),
  }
}

const isSpecial = (seed: number, index: number, name: Special) =>
  hasOddGroups(seed) && index === specialIndex[name]

function nameOf(seed: number, index: number): string {
  if (hasOddGroups(seed)) return numbered(groupNames[index % groupNames.length], index, groupNames.length)
  const kind = shopGroupKinds[index % shopGroupKinds.length]
  const area = shopGroupAreas[Math.floor(index / shopGroupKinds.length) % shopGroupAreas.length]
  return numbered(`${kind} ${area}`, index, shopGroupKinds.length * shopGroupAreas.length)
}

/** Names repeat after `count` groups. From there on the index tells them apart. */
const numbered = (name: string | undefined, index: number, count: number) =>
  index < count ? `${name}` : `${name} ${index}`

function sizeOf(chance: number): number {
  const kind = chance % 100
  const spread = chance >>> 8
  if (kind < 2) return 800 + (spread % 224)
  if (kind < 30) return 3 + (spread % 17)
  if (kind < 80) return 20 + (spread % 60)
  return 80 + (spread % 171)
}

function ourRankIn(seed: number, index: number, chance: number): Rank {
  if (isSpecial(seed, index, 'announcementsOnly') || isSpecial(seed, index, 'communityAnnounce'))
    return 'member'
  if (isSpecial(seed, index, 'announcementsAsAdmin')) return 'admin'
  const kind = (chance >>> 4) % 10
  return kind === 0 ? 'creator' : kind < 3 ? 'admin' : 'member'
}

/** Returns everyone in the group, the channel's own number included. */
export function participantsOf(seed: number, group: SeededGroup, ourNumber: string): Participant[] {
  const chance = mix(seed, group.index)
  const stride = 1 + (chance % (peopleCount - 1))
  const ourPlace = chance % group.size
  const creatorPlace = group.ourRank === 'creator' ? ourPlace : (ourPlace + 1) % group.size
  const participants: Participant[] = []
  for (let place = 0; place < group.size; place++) {
    if (place === ourPlace) {
      participants.push({ id: ourNumber, rank: group.ourRank })
      continue
    }
    const person = (group.index + place * stride) % peopleCount
    const rank = place === creatorPlace ? 'creator' : place % 23 === 5 ? 'admin' : 'member'
    participants.push({ id: participantId(seed, group, person), rank })
  }
  return participants
}

function participantId(seed: number, group: SeededGroup, person: number): string {
  const hidden = group.hidesNumbers || (group.index % 5 === 3 && hidesNumber(person))
  return hidden ? personLid(seed, person) : personNumber(seed, person)
}
