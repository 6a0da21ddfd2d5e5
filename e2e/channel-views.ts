import { paginationOf } from '@sendroom/contract/paging'
import { button, type View } from './view.ts'

const sent = {
  ...{ status: 'Sent', sentAt: '2026-11-25T03:00:00.000Z', ownText: null, mentions: null, votes: null },
  ...{ areMembersKept: false, errorMessage: null, reason: null },
}
const recipients = {
  data: [
    {
      ...{ ...sent, id: 1, recipientId: '120363000000999990@newsletter' },
      ...{ recipientName: 'Khuyến mãi mỗi ngày, quần áo và giày dép', deliveredAt: null, readAt: null },
      ...{ deliveredTo: null, readBy: null, members: null },
    },
    {
      ...{ ...sent, id: 2, recipientId: '120363000000000001@g.us', recipientName: 'Sales team' },
      ...{ deliveredAt: sent.sentAt, readAt: sent.sentAt, deliveredTo: 11, readBy: 3, members: 11 },
    },
  ],
  pagination: paginationOf({ page: 1, pageSize: 50 }, 2),
}

/** Channels among the groups, in the picker, and as a job's recipient. */
export const channelViews: Record<string, View> = {
  'groups-channels': { path: '/groups?only=channel' },
  'messages-channels': {
    path: '/messages/edit/1',
    open: async (page, t) => {
      await button(page, t('FORM.CHOOSE_GROUPS')).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('searchbox').fill('mới')
      await dialog.getByText('Hàng mới về').waitFor()
    },
  },
  'jobs-channel': { path: '/jobs/1', answers: { '/jobs/1/recipients?*': recipients } },
}
