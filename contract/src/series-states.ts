/** The states of a series and of its runs. This file does not import zod, so that pages do not load the schemas. */
export const seriesStates = ['active', 'paused', 'ended'] as const
export type SeriesState = (typeof seriesStates)[number]

export const runStates = ['planned', 'waiting', 'made', 'missed', 'skipped', 'failed'] as const

export const runOutcomes = ['completed', 'failed', 'cancelled', 'deleted'] as const

export const runPeriods = ['next', 'past'] as const

/** For a run on a quiet day or in quiet hours. */
export const quietPolicies = ['move', 'skip'] as const

/** For a run that is due while the job of the former one still sends. */
export const overlapChoices = ['skip', 'wait'] as const
