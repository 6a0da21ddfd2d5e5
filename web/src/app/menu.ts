import {
  IconAddressBook,
  IconBrandWhatsapp,
  IconCalendarMonth,
  IconCalendarTime,
  IconHandStop,
  IconLayoutDashboard,
  IconListCheck,
  IconMessage,
  IconMessageQuestion,
  IconRepeat,
  IconSettings,
  IconUserCog,
  IconUsersGroup,
} from '@tabler/icons-react'
import type { SessionUser } from '../api/session.ts'
import { mayOpen } from './guards.ts'
import { type Page, type PagePath, pages } from './pages.ts'

export type Entry = { to: PagePath; label: string; icon: typeof IconMessage }

/** The sidebar's groups of links. A group without a title stands below a line. */
const groups: { title?: string; links: Entry[] }[] = [
  {
    title: 'MENU.WORK',
    links: [
      { to: '/dashboard', label: 'HEADER.DASHBOARD', icon: IconLayoutDashboard },
      { to: '/messages', label: 'HEADER.MESSAGES', icon: IconMessage },
      { to: '/jobs', label: 'HEADER.JOBS', icon: IconCalendarTime },
      { to: '/calendar', label: 'CALENDAR.TITLE', icon: IconCalendarMonth },
      { to: '/series', label: 'SERIES.TITLE', icon: IconRepeat },
    ],
  },
  {
    title: 'MENU.PEOPLE',
    links: [
      { to: '/groups', label: 'HEADER.GROUPS', icon: IconUsersGroup },
      { to: '/contacts', label: 'CONTACT.TITLE', icon: IconAddressBook },
      { to: '/lists', label: 'LIST.TITLE', icon: IconListCheck },
      { to: '/opt-outs', label: 'OPT_OUT.TITLE', icon: IconHandStop },
      { to: '/possible-opt-outs', label: 'OPT_OUT.POSSIBLE', icon: IconMessageQuestion },
    ],
  },
  {
    links: [
      { to: '/instances', label: 'HEADER.INSTANCES', icon: IconBrandWhatsapp },
      { to: '/users', label: 'HEADER.USERS', icon: IconUserCog },
      { to: '/settings', label: 'SETTINGS.TITLE', icon: IconSettings },
    ],
  },
]

/** The groups of links that this user may follow. */
export const menuFor = (user: SessionUser | null) =>
  groups
    .map(({ title, links }) => ({ title, links: links.filter(({ to }) => mayOpen(pages[to] as Page, user)) }))
    .filter(({ links }) => links.length > 0)
