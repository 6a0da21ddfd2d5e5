import {
  IconBrandWhatsapp,
  IconCalendarTime,
  IconGauge,
  IconHeartbeat,
  IconHistory,
  IconHourglass,
  IconLayoutDashboard,
  IconMessage,
  IconUserCog,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isAdmin, useCurrentUser } from '../api/session.ts'
import { type Page, pages } from './pages.ts'
import classes from './shell.module.css'

const links = [
  { to: '/dashboard', label: 'HEADER.DASHBOARD', icon: IconLayoutDashboard },
  { to: '/messages', label: 'HEADER.MESSAGES', icon: IconMessage },
  { to: '/jobs', label: 'HEADER.JOBS', icon: IconCalendarTime },
  { to: '/groups', label: 'HEADER.GROUPS', icon: IconUsersGroup },
  { to: '/instances', label: 'HEADER.INSTANCES', icon: IconBrandWhatsapp },
  { to: '/users', label: 'HEADER.USERS', icon: IconUserCog },
  { to: '/audit', label: 'HEADER.AUDIT', icon: IconHistory },
  { to: '/retention', label: 'RETENTION.TITLE', icon: IconHourglass },
  { to: '/limits', label: 'QUOTAS.TITLE', icon: IconGauge },
  { to: '/system', label: 'HEADER.SYSTEM', icon: IconHeartbeat },
  { to: '/webhooks', label: 'RECEIVER.TITLE', icon: IconWebhook },
] as const

export function Sidebar({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  return (
    <nav className={classes.links} aria-label={t('HEADER.MAIN_MENU')}>
      {links
        .filter(({ to }) => isAdmin(user) || !(pages[to] as Page).isForAdmins)
        .map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className={classes.link} onClick={onNavigate}>
            <Icon size={18} stroke={1.75} aria-hidden />
            {t(label)}
          </Link>
        ))}
    </nav>
  )
}
