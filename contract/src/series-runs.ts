import { z } from 'zod'
import { limits } from './limits.ts'
import { MessageContent } from './message-content.ts'
import { runOutcomes, runPeriods, runStates } from './series-states.ts'
import { blankable, Id, Instant, idParams, ReadVersion, Reason } from './values.ts'

/** A message that a series sends. */
export const SeriesMessage = z.object({
  id: z.number(),
  textContent: z.string(),
  imageUrl: z.string().nullable(),
  content: MessageContent.nullable(),
})

/** A run of a series, made or still to come. */
export const SeriesRun = z
  .object({
    id: z.number(),
    localTime: z.string().meta({
      description: 'When the rule has it, by the wall clock of its zone: `2026-11-30T09:00`',
    }),
    dueAt: Instant.meta({ description: 'Another instant than `localTime` if the run was moved' }),
    number: z.number().meta({ description: 'Counted from the first one of the rule' }),
    state: z.enum(runStates).meta({
      description:
        '`waiting`: for the end of the former run’s job. `missed`: nothing could make the job in time. `failed`: no job could be made',
    }),
    reason: Reason.nullable(),
    jobId: z.number().nullable(),
    outcome: z.enum(runOutcomes).nullable().meta({ description: 'How its job ended' }),
    message: SeriesMessage.nullable().meta({
      description:
        'The message of this run alone, as long as it is to come. Null: the next one of the series',
    }),
  })
  .meta({ id: 'SeriesRun' })
export type SeriesRun = z.output<typeof SeriesRun>

export const SeriesRunsQuery = z.object({
  page: blankable(z.coerce.number().int().min(1).max(1_000_000).default(1)),
  pageSize: blankable(z.coerce.number().int().min(1).max(limits.pageSizeMax).default(limits.pageSize)),
  period: blankable(
    z.enum(runPeriods).default('next').describe('`next`: the earliest first. `past`: the latest first'),
  ),
})
export type SeriesRunsQuery = z.output<typeof SeriesRunsQuery>

export const runParams = idParams.extend({ runId: Id })

/** The message of a single run. Null for the one in turn. The version is that of the series. */
export const RunMessage = z.object({ messageId: Id.nullable(), version: ReadVersion })
export type RunMessage = z.output<typeof RunMessage>
