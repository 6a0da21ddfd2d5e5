/** Chance that comes again with its seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (from: number, to: number) => Math.floor(from + next() * (to - from + 1))
  return {
    /** Both ends included. */
    int,
    chance: (probability: number) => next() < probability,
    pick: <T>(choices: readonly [T, ...T[]]): T => choices[int(0, choices.length - 1)] ?? choices[0],
    /** So many of them, in a random order. */
    some: <T>(choices: readonly T[], count: number): T[] =>
      choices
        .map((choice) => ({ choice, place: next() }))
        .sort((a, b) => a.place - b.place)
        .slice(0, count)
        .map(({ choice }) => choice),
  }
}

export type Random = ReturnType<typeof randomOf>
