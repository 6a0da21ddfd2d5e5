import type { Random } from './random.ts'

export const jobActions = [
  'cancel job',
  'restart job',
  'retry job',
  'delete job',
  'pause job',
  'resume job',
] as const

/** A daily series that begins with the chaos run. */
export type SeriesPlan = {
  instance: number
  kind: 'groups' | 'people'
  /** Indexes into the instance's address book. */
  recipients: number[]
  withImage: boolean
  /** Its times of day, in minutes after the start of the chaos run. */
  minutes: number[]
  runLimit: number
  timeZone: string
  overlap: 'skip' | 'wait'
  quietPolicy: 'move' | 'skip'
  isFrozen: boolean
  messages: number
}

/** The fields of the form that a user changes. */
export type SeriesEdit = Partial<Pick<SeriesPlan, 'minutes' | 'overlap' | 'quietPolicy' | 'isFrozen'>>

export type SeriesAction = { series: number } & (
  | { kind: 'edit series'; edit: SeriesEdit }
  | { kind: 'pause series' | 'resume series' | 'skip next run' }
  /** Moves the next run to so many seconds from now. */
  | { kind: 'move next run'; toSeconds: number }
  /**
   * Shifts the clock so many seconds past the next run, and a little later back. Then something dies, perhaps while the
   * run is made.
   */
  | { kind: 'jump past next run'; seconds: number; backSeconds: number; loss?: Loss; lossAfterMs: number }
  /** Somebody changes the newest job of the series. */
  | { kind: 'change job of run'; change: (typeof jobActions)[number] }
)

/** The end of something that takes part in making a run. */
type Loss =
  | { kind: 'kill worker'; worker: 'maker' }
  | { kind: 'kill database' | 'cut connections' | 'kill server' }

const ZONES = ['Asia/Ho_Chi_Minh', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'] as const

/** A few series. Each comes due several times while the jobs are sent. */
export function planSeries(
  random: Random,
  { instances, mostRecipients }: { instances: number; mostRecipients: number },
): SeriesPlan[] {
  const { int, chance, pick, sample } = random
  return Array.from({ length: int(1, 3) }, (): SeriesPlan => {
    const minutes = planMinutes(random)
    return {
      instance: int(0, instances - 1),
      kind: pick(['groups', 'people']),
      recipients: sample(
        Array.from({ length: 20 }, (_, index) => index),
        int(1, mostRecipients),
      ),
      withImage: chance(0.2),
      minutes,
      // Not more than three days: receipts of messages that are a week old no longer count.
      runLimit: int(2, Math.min(5, 3 * minutes.length)),
      timeZone: pick(ZONES),
      overlap: pick(['skip', 'wait']),
      quietPolicy: pick(['move', 'move', 'skip']),
      isFrozen: chance(0.3),
      messages: int(1, 3),
    }
  })
}

/** Up to four times, as close together as a rule allows, so that runs overlap. */
function planMinutes({ int, sample }: Random): number[] {
  const choices = Array.from({ length: 12 }, (_, n) => n + 1)
  return sample(choices, int(1, 4)).sort((a, b) => a - b)
}

export function planSeriesActions(random: Random, series: readonly SeriesPlan[]): SeriesAction[] {
  const { int, chance, pick } = random
  return series.flatMap((_, index) =>
    Array.from({ length: int(1, 4) }, (): SeriesAction => {
      const one = { series: index }
      return pick<() => SeriesAction>([
        () => ({ ...one, kind: 'edit series', edit: planEdit(random) }),
        () => ({ ...one, kind: pick(['pause series', 'skip next run']) }),
        // More often than the pauses, or most runs would be skipped.
        () => ({ ...one, kind: 'resume series' }),
        () => ({ ...one, kind: 'move next run', toSeconds: int(2, 300) }),
        () => ({ ...one, kind: 'jump past next run', ...planJump(random) }),
        () => ({ ...one, kind: 'jump past next run', ...planJump(random) }),
        () => ({
          ...one,
          kind: 'change job of run',
          change: pick(jobActions),
        }),
      ])()
    }).concat(chance(0.3) ? { kind: 'resume series', series: index } : []),
  )
}

function planEdit(random: Random): SeriesEdit {
  const { chance, pick } = random
  if (chance(0.5)) return { minutes: planMinutes(random) }
  return pick<SeriesEdit>([
    { overlap: 'wait' },
    { overlap: 'skip' },
    { quietPolicy: 'move' },
    { isFrozen: true },
  ])
}

/** To just before and after the run, and beyond the two hours within which it is made. */
const planJump = ({ int, chance, pick }: Random) => ({
  seconds: pick([-1, 0, 0, 1, 2, int(10, 600), pick([7_190, 7_210, int(7_300, 30_000)])]),
  backSeconds: chance(0.3) ? int(1, 3) : 0,
  ...(chance(0.6) && {
    loss: pick<Loss>([
      { kind: 'kill worker', worker: 'maker' },
      { kind: 'kill worker', worker: 'maker' },
      { kind: 'kill database' },
      { kind: 'cut connections' },
      { kind: 'kill server' },
    ]),
  }),
  lossAfterMs: int(0, 1_500),
})
