import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { jobTypes } from './job-life.ts'
import { limits } from './limits.ts'
import { newJobFields } from './new-jobs.ts'
import { listQuery, page } from './paging.ts'
import { ApproveSeries, AskSeriesChanges, SeriesApproval } from './series-approval.ts'
import { SeriesRule } from './series-rule.ts'
import { RunMessage, runParams, SeriesMessage, SeriesRun, SeriesRunsQuery } from './series-runs.ts'
import { overlapChoices, quietPolicies, seriesStates } from './series-states.ts'
import {
  blankable,
  Id,
  Instant,
  idList,
  idParams,
  instant,
  key,
  Named,
  ReadVersion,
  Reason,
} from './values.ts'

/** A series as lists show it. */
export const SeriesRow = z
  .object({
    id: z.number(),
    name: z.string(),
    instance: Named,
    jobType: z.enum(jobTypes),
    state: z.enum(seriesStates),
    pausedReason: Reason.nullable(),
    rule: SeriesRule,
    messageCount: z.number(),
    nextRun: SeriesRun.nullable(),
    authorName: z.string().meta({
      description:
        'Who saved it last. The runs need the present rights of that user, and their jobs are theirs',
    }),
    createdAt: Instant,
  })
  .meta({ id: 'SeriesRow' })
export type SeriesRow = z.output<typeof SeriesRow>

const { jobType, instanceId, groupSetIds, listIds, excludedListIds, fallbacks, leaveOutIncomplete } =
  newJobFields

/** Whom the runs send to, beside lists and sets of groups. Larger audiences belong into those. */
export const SeriesPeople = z.object({
  groupIds: idList(limits.groupSetGroups, { tooMany: key('GROUP_SET_FORM.TOO_MANY_GROUPS') }).default([]),
  phoneNumbers: z.string().max(limits.seriesPhones, key('SERIES_FORM.PHONES_TOO_LONG')).default(''),
  contactIds: newJobFields.contactIds,
  fallbacks,
  leaveOutIncomplete,
})
export type SeriesPeople = z.output<typeof SeriesPeople>

/** A single series, with all that its form shows. */
export const Series = SeriesRow.extend({
  messages: z.array(SeriesMessage).meta({ description: 'Taken in turn' }),
  /** The runs to come that have a message of their own. */
  changedRuns: z.array(SeriesRun),
  /** The place in `messages` of the one that the next run sends. */
  nextPosition: z.number(),
  groups: z.array(Named),
  contacts: z.array(Named).meta({ description: 'Those of them that you see' }),
  contactIds: z.array(z.number()),
  phoneNumbers: z.string(),
  fallbacks: z.record(z.string(), z.string()),
  leaveOutIncomplete: z.boolean(),
  groupSets: z.array(Named),
  lists: z.array(Named),
  excludedLists: z.array(Named),
  isFrozen: z.boolean(),
  frozenCount: z.number().nullable(),
  quietDays: z.array(z.string()),
  quietPolicy: z.enum(quietPolicies),
  overlap: z.enum(overlapChoices),
  approval: SeriesApproval,
  /** Increases with each edit by a person. */
  version: z.number(),
}).meta({ id: 'Series' })
export type Series = z.output<typeof Series>

const quiet = {
  quietDays: z
    .array(z.iso.date(key('SERIES_FORM.DATE_INVALID')))
    .max(limits.seriesQuietDays, key('SERIES_FORM.QUIET_DAYS_TOO_MANY'))
    .overwrite((days) => [...new Set(days)].toSorted())
    .default([])
    .describe('Dates in the zone of the rule on which nothing is sent'),
  quietPolicy: z
    .enum(quietPolicies)
    .default('move')
    .describe('What becomes of a run on a quiet day, or in the quiet hours of the account'),
}

/** The fields of the form, without what concerns several of them. */
export const SeriesForm = z.object({
  name: z
    .string(key('SERIES_FORM.NAME_INVALID'))
    .normalize('NFC')
    .trim()
    .min(1, key('SERIES_FORM.NAME_INVALID'))
    .max(limits.seriesName, key('SERIES_FORM.NAME_INVALID')),
  instanceId,
  jobType,
  messageIds: idList(limits.seriesMessages, { min: 1, tooMany: key('SERIES_FORM.MESSAGES_TOO_MANY') }),
  ...SeriesPeople.shape,
  groupSetIds,
  listIds,
  excludedListIds,
  isFrozen: z
    .boolean()
    .default(false)
    .describe(
      'Keeps the people, or groups, of lists and sets as they are now. Otherwise each run reads them',
    ),
  rule: SeriesRule,
  ...quiet,
  overlap: z
    .enum(overlapChoices)
    .default('skip')
    .describe('What becomes of a run while the job of the former one still sends'),
})

type Form = z.output<typeof SeriesForm>

const requireRecipients = (form: Form, context: z.RefinementCtx<Form>) => {
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (form.jobType === 'SendToGroups') {
    if (form.groupIds.length + form.groupSetIds.length === 0) add('groupIds', key('JOB.GROUP_REQUIRED'))
  } else if (form.phoneNumbers.trim() === '' && form.contactIds.length + form.listIds.length === 0)
    add('phoneNumbers', key('JOB.PHONE_REQUIRED'))
}

export const NewSeries = SeriesForm.superRefine(requireRecipients)
export type NewSeries = z.output<typeof NewSeries>

/**
 * Replaces everything. Changed times hold after the present day, and a period whose runs are over gets none again.
 * Frozen recipients stay, unless another choice of them is saved.
 */
export const SeriesChange = SeriesForm.extend({ version: ReadVersion }).superRefine(requireRecipients)
export type SeriesChange = z.output<typeof SeriesChange>

export const SeriesQuery = listQuery(['id', 'name', 'nextRun', 'createdAt'], {
  sortBy: 'name',
  sortDirection: 'asc',
}).extend({
  state: blankable(z.enum(seriesStates).optional()),
  instanceId: blankable(Id.optional()),
})
export type SeriesQuery = z.output<typeof SeriesQuery>

const ofSeries = <Action extends 'pause' | 'resume' | 'end'>(action: Action, summary: string) =>
  endpoint({
    method: 'POST',
    path: `/series/:id/${action}` as const,
    access: 'canCreateJobs',
    summary,
    params: idParams,
    response: Series,
  } as const)

export const series = {
  list: endpoint({
    method: 'GET',
    path: '/series',
    access: 'signedIn',
    summary: 'The series of the accounts that you see',
    query: SeriesQuery,
    response: page(SeriesRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/series/:id',
    access: 'signedIn',
    summary: 'One series',
    params: idParams,
    response: Series,
  }),
  runs: endpoint({
    method: 'GET',
    path: '/series/:id/runs',
    access: 'signedIn',
    summary: 'The runs of a series: those to come, 62 days ahead, or those that are over',
    params: idParams,
    query: SeriesRunsQuery,
    response: page(SeriesRun),
  }),
  create: endpoint({
    method: 'POST',
    path: '/series',
    access: 'canCreateJobs',
    summary: 'Create a series: jobs that are made again and again',
    body: NewSeries,
    response: Series,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/series/:id',
    access: 'canCreateJobs',
    summary: 'Change a series. You become its author',
    params: idParams,
    body: SeriesChange,
    response: Series,
  }),
  pause: ofSeries('pause', 'Make no more runs until the series is resumed'),
  resume: ofSeries('resume', 'Resume a paused series. Runs whose time has passed are not made'),
  approve: endpoint({
    method: 'POST',
    path: '/series/:id/approve',
    access: 'canApproveJobs',
    summary:
      'Approve a series of another user: its messages, rule and sources, for so many recipients. Any change of these voids it',
    params: idParams,
    body: ApproveSeries,
    response: Series,
  }),
  askChanges: endpoint({
    method: 'POST',
    path: '/series/:id/ask-changes',
    access: 'canApproveJobs',
    summary:
      'Ask for changes of a series that waits for approval. Its author is told, and any change ends that',
    params: idParams,
    body: AskSeriesChanges,
    response: Series,
  }),
  end: ofSeries('end', 'End a series for good. Its runs stay to be read'),
  remove: endpoint({
    method: 'DELETE',
    path: '/series/:id',
    access: 'canCreateJobs',
    summary: 'Delete a series. The jobs of its runs stay',
    params: idParams,
  }),
  skipRun: endpoint({
    method: 'POST',
    path: '/series/:id/runs/:runId/skip',
    access: 'canCreateJobs',
    summary: 'Skip a run that is still to come',
    params: runParams,
    response: SeriesRun,
  }),
  moveRun: endpoint({
    method: 'POST',
    path: '/series/:id/runs/:runId/move',
    access: 'canCreateJobs',
    summary: 'Move a single run that is still to come to another time',
    params: runParams,
    body: z.object({ dueAt: instant(key('SERIES_FORM.RUN_TIME_INVALID')) }),
    response: SeriesRun,
  }),
  setRunMessage: endpoint({
    method: 'POST',
    path: '/series/:id/runs/:runId/message',
    access: 'canCreateJobs',
    summary:
      'Give a single run that is still to come another message, in place of the one that it would take in turn',
    params: runParams,
    body: RunMessage,
    response: SeriesRun,
  }),
}
