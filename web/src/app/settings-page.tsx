import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../ui/page-title.tsx'
import { settings } from './settings.ts'
import classes from './settings-page.module.css'

/** Every section of the settings with what it is for. */
export function SettingsPage() {
  const { t } = useTranslation()
  return (
    <Stack>
      <PageTitle>{t('SETTINGS.TITLE')}</PageTitle>
      <ul className={classes.sections}>
        {settings.map(({ to, label, hint, icon: Icon }) => (
          <li key={to} className={classes.section}>
            <Icon size={22} stroke={1.75} aria-hidden />
            <div>
              <Link to={to} className={classes.link}>
                {t(label)}
              </Link>
              <p>{t(hint)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
