import { mix, seedOf } from './identifiers.ts'
import { familyNames, givenNames, groupNames } from './names.ts'

/** People a channel knows. A prime, so that any stride through them meets everyone once. */
const peopleCount = 4099
/** All people are in the contacts, but of every ten only seven with a name. */
const namedOfTen = 7
const leftIndex = 999_999

/** The groups that are special stand first, at these indexes, in every channel. */
const special = {
  announcementsOnly: 0,
  withoutParticipants: 1,
  legacy: 2,
  announcementsAsAdmin: 3,
  large: 4,
  nameless: 5,
  communityAnnounce: 6,
  hiddenNumbers: 7,
} as const

export type Rank = 'creator' | 'admin' | 'member'

/** What a group is, short of its participants; computed anew from the token at every call. */
export interface SeededGroup {
  index: number
  id: string
  name: string | undefined
  size: number
  ourRank: Rank
  announcements: boolean
  createdAt: number
}

export interface Participant {
  id: string
  rank: Rank
}

/**
 * The id of a channel's n-th group: 0 to groupsPerChannel - 1 exist. 18 digits: WhatsApp's 120363, six of the
 * channel, six of the index, so that an id leads back to its group without a table.
 */
export function groupId(token: string, index: number): string {
  return idOf(seedOf(token), index)
}

/**
 * The groups made for tests, by what is odd about them:
 * `announcementsOnly`, `communityAnnounce` only admins may send and we are a plain member: a send is 403;
 * `announcementsAsAdmin` only admins may send and we are one;
 * `left` not in the list, 404 on itself, 403 on a send;
 * `withoutParticipants` comes without `participants` (seen live); `nameless` without `name` (seen live);
 * `legacy` has an id of the old form `<phone>-<unix>@g.us`; `large` has 1,024 participants;
 * `hiddenNumbers` shows all others as `…@lid`.
 */
export function specialGroups(token: string): Record<keyof typeof special | 'left', string> {
  const seed = seedOf(token)
  const ids = Object.fromEntries(Object.entries(special).map(([name, index]) => [name, idOf(seed, index)]))
  // fromEntries forgets which keys it was given
  return { ...(ids as Record<keyof typeof special, string>), left: idOf(seed, leftIndex) }
}

function idOf(seed: number, index: number): string {
  if (index === special.legacy) return `${personNumber(seed, 0)}-${1_400_000_000 + (seed % 100_000_000)}@g.us`
  return `120363${digits(seed, 6)}${digits(index, 6)}@g.us`
}

/** The group of that id, or undefined where the channel is in no such group. */
export function findGroup(seed: number, id: string, groupsPerChannel: number): SeededGroup | undefined {
  const index = id === idOf(seed, special.legacy) ? special.legacy : Number(id.slice(12, 18))
  if (!(index < groupsPerChannel) || idOf(seed, index) !== id) return undefined
  return groupAt(seed, index)
}

export function groupAt(seed: number, index: number): SeededGroup {
  const chance = mix(seed, index)
  const name = groupNames[index % groupNames.length]
  return {
    index,
    id: idOf(seed, index),
    name: index === special.nameless ? undefined : index < groupNames.length ? name : `${name} ${index}`,
    size: index === special.large ? 1024 : sizeOf(chance),
    ourRank: ourRankIn(index, chance),
    announcements:
      index === special.announcementsOnly ||
      index === special.announcementsAsAdmin ||
      index === special.communityAnnounce,
    createdAt: 1_600_000_000 + (chance % 150_000_000),
  }
}

export function isCommunityAnnounce(group: SeededGroup): boolean {
  return group.index === special.communityAnnounce
}

export function hidesParticipants(group: SeededGroup): boolean {
  return group.index === special.withoutParticipants
}

function sizeOf(chance: number): number {
  const kind = chance % 100
  const spread = chance >>> 8
  if (kind < 2) return 800 + (spread % 224)
  if (kind < 30) return 3 + (spread % 17)
  if (kind < 80) return 20 + (spread % 60)
  return 80 + (spread % 171)
}

function ourRankIn(index: number, chance: number): Rank {
  if (index === special.announcementsOnly || index === special.communityAnnounce) return 'member'
  if (index === special.announcementsAsAdmin) return 'admin'
  const kind = (chance >>> 4) % 10
  return kind === 0 ? 'creator' : kind < 3 ? 'admin' : 'member'
}

/** Everyone in the group, ourselves among them; where numbers are hidden, the id is a LID. */
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
  const hidden = group.index === special.hiddenNumbers || (group.index % 5 === 3 && person % 10 === 9)
  return hidden ? `1${digits(mix(seed, person), 10)}${digits(person, 4)}@lid` : personNumber(seed, person)
}

/** Never ends in 0, so all of them are on WhatsApp; unique, as 7,919 shares no factor with 1,000,000. */
function personNumber(seed: number, person: number): string {
  return `8493${digits(seed + person * 7919, 6)}${1 + (person % 9)}`
}

/** The number a channel is linked with, unless a pairing code names another. */
export function ownNumber(seed: number): string {
  return `8490${digits(seed, 6)}${1 + (seed % 9)}`
}

const tens = Math.floor(peopleCount / 10)
const namelessCount = tens * (10 - namedOfTen)

export const contactCount = tens * 10

/** The n-th contact. Those without a name stand first, and fill whole pages. */
export function contactAt(seed: number, n: number): { id: string; name: string; pushname: string } {
  if (n < namelessCount) return { id: personNumber(seed, namelessPerson(n)), name: '', pushname: '' }
  const person = namedPerson(n - namelessCount)
  const chance = mix(seed, person)
  const given = givenNames[(chance >>> 8) % givenNames.length] ?? ''
  return {
    id: personNumber(seed, person),
    name: `${familyNames[chance % familyNames.length]} ${given}`,
    pushname: given,
  }
}

function namedPerson(n: number): number {
  return Math.floor(n / namedOfTen) * 10 + (n % namedOfTen)
}

function namelessPerson(n: number): number {
  const ofTen = 10 - namedOfTen
  return Math.floor(n / ofTen) * 10 + namedOfTen + (n % ofTen)
}

function digits(value: number, length: number): string {
  return String(value % 10 ** length).padStart(length, '0')
}
