import { button, type View } from './view.ts'

const at = '2026-11-25T08:00:00.000Z'
const long = 'Vui lòng thêm giá của từng món, và gửi sau 9 giờ sáng để khách không bị làm phiền.\n'
  .repeat(3)
  .trim()
const step = { at, what: 'asked', by: 'Nguyễn Thị Lan', words: '' }
const noCounts = { sent: 0, sentLastMinute: 0, failed: 0, skipped: 0, unknown: 0, delivered: 0, read: 0 }
const numbers = Array.from({ length: 30 }, (_, n) => `849012345${String(n).padStart(2, '0')}`)

/** A job of 1,200 people with a text with variables, as it waits for approval. */
const inReview = {
  ...{ id: 5, name: 'Ưu đãi cuối tuần', version: 3, jobType: 'SendToUsers', messageId: 1 },
  ...{
    messageTitle: 'Ưu đãi cuối tuần',
    instanceId: 1,
    instanceName: 'Nhà hàng Biển Xanh',
    status: 'Pending',
  },
  ...{
    isPaused: false,
    review: 'in_review',
    imageUrl: null,
    content: null,
    mentionsAll: false,
    recipientCount: 1200,
    sentCount: 0,
  },
  ...{ failedCount: 0, hasRemaining: false, areRecipientsDeleted: false, series: null },
  ...{ createdByUserName: 'Nguyễn Thị Lan', scheduledAt: '2030-11-28T02:00:00.000Z', createdAt: at },
  ...{ startedAt: null, completedAt: null, isPersonal: true, run: 1, assignedGroups: [] },
  textContent: 'Chào {{name}}! *Ưu đãi cuối tuần* cho khách quen: mua hai tặng một.',
  ...{ targetPhoneNumbers: numbers, totalSentMessages: 0, progress: 0, nextSendAt: null, endsAt: null },
  recipients: { total: 1200, waiting: 1200, ...noCounts },
  waiting: { code: 'in_review', params: {} },
  approval: {
    ...{ approveBy: '2030-11-28T02:00:00.000Z', canReview: true },
    approvers: { total: 12, first: ['admin', 'Trần Minh', 'Lê Hương', 'Phạm Quang'] },
    history: [
      step,
      { ...step, what: 'voided' },
      { ...step, what: 'approved', by: 'Trần Minh' },
      step,
      { ...step, what: 'changes_asked', by: 'Trần Minh', words: long },
      step,
    ],
  },
  ...{ sentMessages: [], logs: [], isLogDeleted: false },
}
const { approval } = inReview
const recipient = {
  ...{ id: 1, recipientName: 'Võ Ngọc Ánh', recipientId: '84901234567', status: 'Waiting', sentAt: null },
  ownText: 'Chào Võ Ngọc Ánh! *Ưu đãi cuối tuần* cho khách quen: mua hai tặng một.',
  ...{ deliveredAt: null, readAt: null, deliveredTo: null, readBy: null, members: null },
  ...{ areMembersKept: false, errorMessage: null, reason: null },
}
const listed = (data: object[], totalCount = data.length) => ({
  data,
  pagination: {
    ...{ currentPage: 1, pageSize: 10, totalCount, totalPages: totalCount },
    ...{ hasPrevious: false, hasNext: totalCount > 1 },
  },
})
const answers = (job: object) => ({
  '/jobs/5': job,
  '/jobs/5/changes?*': job,
  '/jobs/5/recipients?*': listed([recipient], 1200),
})
const changesAsked = {
  ...{ ...inReview, review: 'changes_asked', waiting: { code: 'changes_asked', params: {} } },
  approval: {
    ...{ ...approval, canReview: false, approvers: { total: 0, first: [] } },
    history: approval.history.slice(-2),
  },
}
const overdue = {
  ...{ ...inReview, review: 'overdue', scheduledAt: at },
  approval: {
    ...{ ...approval, approveBy: at, canReview: false },
    history: [{ ...step, what: 'overdue', by: '' }, ...approval.history],
  },
}
const approved = {
  ...{ ...inReview, review: 'approved', waiting: { code: 'scheduled', params: {} } },
  approval: {
    ...{ ...approval, approveBy: null, canReview: false },
    history: [{ ...step, what: 'overridden', by: 'admin', words: 'Trần Minh đang nghỉ ốm.' }, step],
  },
}
const jobs = [inReview, changesAsked, overdue, approved].map((job, n) => ({ ...job, id: 5 + n }))

/** The pages and dialogs of approval. */
export const approvalViews: Record<string, View> = {
  'approval-review': { path: '/jobs/5', answers: answers(inReview) },
  'approval-changes': { path: '/jobs/5', answers: answers(changesAsked) },
  'approval-overdue': { path: '/jobs/5', answers: answers(overdue) },
  'approval-overridden': { path: '/jobs/5', answers: answers(approved) },
  'approval-list': { path: '/jobs?only=in_review', answers: { '/jobs?*': listed(jobs) } },
  'approval-approve': {
    ...{ path: '/jobs/5', answers: answers(inReview), keepsWords: true },
    open: (page, t) => button(page, t('JOB.APPROVE')).click(),
  },
  'approval-words': {
    ...{ path: '/jobs/5', answers: answers(inReview) },
    open: async (page, t) => {
      await button(page, t('JOB.ASK_CHANGES')).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: t('JOB.ASK_CHANGES') }).click()
      await dialog.getByText(t('JOB.WORDS_REQUIRED')).waitFor()
    },
  },
  'approval-override': {
    ...{ path: '/jobs/5', answers: answers(changesAsked) },
    open: async (page, t) => {
      await button(page, t('JOB.OVERRIDE')).click()
      await page.getByRole('dialog').getByRole('textbox').waitFor()
    },
  },
  'approval-locked': { path: '/jobs/edit/5', answers: answers(inReview) },
  'approval-change': { path: '/jobs/edit/5', answers: answers(changesAsked) },
  'approval-late': { path: '/jobs/edit/5', answers: answers(overdue) },
  'approval-account': {
    path: '/instances/edit/1',
    isWhole: true,
    open: async (page, t) => {
      await page.getByText(t('ACCOUNT_FORM.APPROVAL_ABOVE').replace('{{number}}', '100')).click()
      await page.getByLabel(t('ACCOUNT_FORM.APPROVAL_NUMBER')).fill('0')
      await button(page, t('COMMON.SAVE')).click()
    },
  },
}
