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
import { paths } from '../paths.ts'
import classes from './shell.module.css'

const links = [
  { to: paths.dashboard, label: 'HEADER.DASHBOARD', icon: IconLayoutDashboard },
  { to: paths.messages, label: 'HEADER.MESSAGES', icon: IconMessage },
  { to: paths.jobs, label: 'HEADER.JOBS', icon: IconCalendarTime },
  { to: paths.groups, label: 'HEADER.GROUPS', icon: IconUsersGroup },
  { to: paths.instances, label: 'HEADER.INSTANCES', icon: IconBrandWhatsapp },
  { to: paths.users, label: 'HEADER.USERS', icon: IconUserCog, isAdminOnly: true },
  { to: paths.audit, label: 'HEADER.AUDIT', icon: IconHistory, isAdminOnly: true },
  { to: paths.retention, label: 'RETENTION.TITLE', icon: IconHourglass, isAdminOnly: true },
  { to: paths.quotas, label: 'QUOTAS.TITLE', icon: IconGauge, isAdminOnly: true },
  { to: paths.system, label: 'HEADER.SYSTEM', icon: IconHeartbeat, isAdminOnly: true },
  { to: paths.receivers, label: 'RECEIVER.TITLE', icon: IconWebhook, isAdminOnly: true },
]

export function Sidebar({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  return (
    <nav className={classes.links} aria-label={t('HEADER.MAIN_MENU')}>
      {links
        .filter((link) => !link.isAdminOnly || isAdmin(user))
        .map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className={classes.link} onClick={onNavigate}>
            <Icon size={18} stroke={1.75} aria-hidden />
            {t(label)}
          </Link>
        ))}
    </nav>
  )
}
