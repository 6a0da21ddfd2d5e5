/** The engine's API for the rest of Sendroom. README.md explains how the engine works. */
export type { EngineDeps } from './context.ts'
export { startEngine } from './engine.ts'
export {
  markInstanceActive,
  markInstanceHealthy,
  markInstanceTrouble,
  resumeSending,
} from './health/instance-status.ts'
export { failOverdue } from './health/overdue.ts'
export { stepUpWarmUps, warmUpToday } from './health/warm-up.ts'
export { checkLimits } from './health/whatsapp-limits.ts'
export { reopenCheck } from './history/check.ts'
export { type IncomingIntake, openIncomingIntake } from './incoming/intake.ts'
export { openLidReader } from './incoming/lids.ts'
export { openIncomingReader } from './incoming/read.ts'
export { applyDueReplies } from './incoming/replies.ts'
export { lockWaitingJob, type Replacement, renameJob, replaceInJob, type WaitingJob } from './jobs/change.ts'
export { planJob, type Recipient, type Recipients } from './jobs/create.ts'
export { deleteJobs, deleteJobsOfInstance } from './jobs/delete.ts'
export { countUnsettled, forgetDeliveries, skipForgotten } from './jobs/forget.ts'
export { cancelJob, finishJobs, type JobAnswer, restartJob } from './jobs/lifecycle.ts'
export { pauseJob, pauseRestoredJobs, resumeJob } from './jobs/pause.ts'
export { retryFailed } from './jobs/retry.ts'
export {
  decideReviews,
  lockReview,
  markOverdue,
  moveReview,
  type ReviewAction,
  setEditor,
} from './jobs/review.ts'
export { skipOptedOut } from './jobs/skip-opted-out.ts'
export { hasUnsettled } from './jobs/unsettled.ts'
export { openPollReader } from './polls/ask.ts'
export { openVoteIntake, type VoteIntake } from './polls/intake.ts'
export { applyStoredReceipts, deleteUnmatchedReceipts } from './receipts/apply-stored.ts'
export { openReceiptIntake, type ReceiptIntake } from './receipts/intake.ts'
export { openPolling } from './receipts/poll.ts'
export { deleteOldRows } from './retention/delete-old.ts'
export { forgetUploads } from './sending/upload.ts'
export { isDurable } from './shared/era.ts'
export { openMetering } from './shared/metered.ts'
export { countsAsOptedOut, isNotOnWhatsapp, reasonOfOutcome } from './shared/opt-out.ts'
export { isKnownPerson, phoneOf } from './shared/private-pace.ts'
export { aboutEnds, type RoughPace, readRoughPaces } from './status/about-end.ts'
export { readBacklog } from './status/backlog.ts'
export { recipientCounts } from './status/counts.ts'
export { expectEnd, expectEnds, expectOrder } from './status/estimate.ts'
export { notifyMoved } from './status/progress.ts'
export {
  endedWithFailures,
  expiresSoon,
  holdOf,
  instanceNeedsAttention,
  instanceWaitsUntil,
  isDown,
  isKnownStuck,
  isStuck,
  whyAllWait,
  whyDown,
  whyInstanceWaits,
  whyStuck,
  whyWaiting,
} from './status/trouble.ts'
