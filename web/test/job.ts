import type { JobLog, SentMessage } from '@sendroom/contract/job-rows'
import type { Job, JobRow } from '@sendroom/contract/jobs'

/** A running job, as lists show it. */
export const row: JobRow = {
  id: 3,
  name: '',
  version: 1,
  jobType: 'SendToGroups',
  messageId: 5,
  messageTitle: `${'x'.repeat(50)}and more`,
  instanceId: 7,
  instanceName: 'Shop',
  status: 'Running',
  isPaused: false,
  review: null,
  imageUrl: null,
  recipientCount: 3,
  sentCount: 1,
  failedCount: 0,
  hasRemaining: false,
  areRecipientsDeleted: false,
  series: null,
  createdByUserName: 'minh',
  scheduledAt: null,
  createdAt: '2026-01-02T03:04:05.000Z',
  startedAt: null,
  completedAt: null,
}
const sent: SentMessage = {
  id: 1,
  recipientName: 'Family',
  recipientId: '1@g.us',
  ownText: null,
  status: 'Sent',
  sentAt: '2026-01-02T03:04:06.000Z',
  deliveredAt: null,
  readAt: null,
  deliveredTo: 0,
  readBy: 0,
  members: 3,
  areMembersKept: true,
  errorMessage: null,
  reason: null,
}
const failed: SentMessage = {
  ...sent,
  id: 2,
  recipientName: 'Friends',
  status: 'Failed',
  errorMessage: 'English words',
  reason: { code: 'chat_not_found', params: {} },
}
export const log: JobLog = {
  id: 1,
  createdAt: '2026-01-02T03:04:05.000Z',
  logLevel: 'Warning',
  message: 'English words',
  reason: { code: 'job_cancelled', params: { user: 'minh', skipped: 2 } },
}
/** A running job to three groups: one sent, one failed, one waiting. */
export const job: Job = {
  ...row,
  failedCount: 1,
  hasRemaining: true,
  isLogDeleted: false,
  textContent: 'Hello',
  isPersonal: false,
  run: 1,
  assignedGroups: [
    { id: 1, name: 'Family' },
    { id: 2, name: 'Friends' },
    { id: 4, name: 'Work' },
  ],
  targetPhoneNumbers: [],
  totalSentMessages: 1,
  progress: 33.33,
  recipients: {
    total: 3,
    waiting: 1,
    sent: 1,
    sentLastMinute: 1,
    failed: 1,
    skipped: 0,
    unknown: 0,
    delivered: 0,
    read: 0,
  },
  waiting: { code: 'pause_between', params: {} },
  approval: null,
  nextSendAt: '2026-01-02T03:05:00.000Z',
  endsAt: '2026-01-02T03:05:00.000Z',
  sentMessages: [sent, failed],
  logs: [log],
}
/** The same job after its end. */
export const done: Job = {
  ...job,
  status: 'Completed',
  progress: 66.67,
  waiting: null,
  nextSendAt: null,
  endsAt: null,
}
