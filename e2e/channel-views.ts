import { button, patch, type View } from './view.ts'

const post = {
  ...{ recipientId: '120363000000999990@newsletter', recipientName: 'Khuyến mãi mỗi ngày 🎁' },
  ...{ deliveredAt: null, readAt: null, deliveredTo: null, readBy: null, members: null },
}

/** Channels among the groups, in the picker, and as a job's recipient. */
export const channelViews: Record<string, View> = {
  'groups-channels': { path: '/groups?kind=channel' },
  'messages-channels': {
    path: '/messages/edit/1',
    open: async (page, t) => {
      await button(page, t('FORM.CHOOSE_GROUPS')).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('searchbox').fill('mới')
      await dialog.getByText('Hàng mới về').waitFor()
    },
  },
  'jobs-channel': {
    path: '/jobs/1',
    open: async (page) => {
      await patch(page, '/jobs/1/recipients*', ({ data, ...rest }) => ({
        ...rest,
        data: (data as object[]).map((row, n) => (n === 0 ? { ...row, ...post } : row)),
      }))
      await page.reload()
      await page.getByText(post.recipientName).waitFor()
    },
    isWhole: true,
  },
}
