/**
 * How long to wait before another try, in ms: doubles from 1 s up to `maxMs`. `random` (0 to 1) takes up to half of it
 * off, so that many do not come back together.
 */
export const backoffMs = (failures: number, maxMs: number, random: number) =>
  Math.round(Math.min(maxMs, 1000 * 2 ** failures) * (0.5 + random / 2))
