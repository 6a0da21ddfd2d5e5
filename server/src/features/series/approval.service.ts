import type { Series } from '@sendroom/contract/series'
import type { ApproveSeries, AskSeriesChanges } from '@sendroom/contract/series-approval'
import type { Begin } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { entryOf } from './audit.ts'
import { findReview, findSeries, lockSeries, saveApproval, saveChangesAsked } from './series.queries.ts'

/*
 * Approval of a series by somebody other than its author. By a trigger, another text or image of one of its messages is
 * a new version of the series, so nobody decides on one that they have not read.
 */

export const approveSeries = (
  begin: Begin,
  id: number,
  { version, recipients }: ApproveSeries,
): Promise<Series> =>
  begin(async (tx, caller) => {
    const locked = orNotFound(await lockSeries(tx, caller, id))
    requireVersion(version, locked.version)
    if (locked.state === 'ended') throw new Refusal('series_ended')
    if (!(await saveApproval(tx, id, caller, recipients))) throw new Refusal('approval_of_own')
    const series = orNotFound(await findSeries(tx, caller, id))
    await record(tx, caller, entryOf('series.approve', series, { recipients }))
    return series
  })

export const askSeriesChanges = (
  begin: Begin,
  id: number,
  { version, words }: AskSeriesChanges,
): Promise<Series> =>
  begin(async (tx, caller) => {
    const locked = orNotFound(await lockSeries(tx, caller, id))
    requireVersion(version, locked.version)
    const { isOwn, isWaiting } = await findReview(tx, id, caller)
    if (!isWaiting) throw new Refusal('series_not_in_review')
    if (isOwn) throw new Refusal('approval_of_own')
    await saveChangesAsked(tx, id, caller, words)
    const series = orNotFound(await findSeries(tx, caller, id))
    await record(tx, caller, entryOf('series.ask_changes', series, { words }))
    return series
  })
