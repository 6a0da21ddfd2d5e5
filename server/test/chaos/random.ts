/** A random generator that repeats its numbers with its seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (from: number, to: number) => Math.floor(from + next() * (to - from + 1))
  return {
    /** A whole number, both ends included. */
    int,
    chance: (probability: number) => next() < probability,
    pick: <T>(choices: readonly [T, ...T[]]): T => choices[int(0, choices.length - 1)] ?? choices[0],
    /** Up to `count` of the choices, in random order. */
    sample: <T>(choices: readonly T[], count: number): T[] =>
      choices
        .map((choice) => ({ choice, order: next() }))
        .sort((a, b) => a.order - b.order)
        .slice(0, count)
        .map(({ choice }) => choice),
  }
}

export type Random = ReturnType<typeof createRandom>
