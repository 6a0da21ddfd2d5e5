import { Link, useLocation } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { usePossibleOptOuts } from '../api/possible-opt-outs.ts'
import { useCurrentUser } from '../api/session.ts'
import { formatNumber } from '../format.ts'
import { type Entry, menuFor } from './menu.ts'
import { settings } from './settings.ts'
import classes from './shell.module.css'

export function Sidebar({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const isInSettings = useLocation({ select: ({ pathname }) => /^\/settings(\/|$)/.test(pathname) })

  const possible = usePossibleOptOuts() ?? 0

  const linkOf = ({ to, label, icon: Icon }: Entry) => (
    <Link
      to={to}
      className={classes.link}
      // The open section is marked, not the settings as a whole.
      activeOptions={{ exact: to === '/settings' }}
      onClick={onNavigate}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      {t(label)}
      {to === '/possible-opt-outs' && possible > 0 && (
        <>
          {' '}
          <span className={classes.count}>{formatNumber(possible)}</span>
        </>
      )}
    </Link>
  )

  return (
    <nav className={classes.links} aria-label={t('HEADER.MAIN_MENU')}>
      {menuFor(user).map(({ title, links }) => (
        <Fragment key={links[0]?.to}>
          {title ? (
            <p className={classes.caption} aria-hidden>
              {t(title)}
            </p>
          ) : (
            <hr className={classes.line} />
          )}
          <ul {...(title && { 'aria-label': t(title) })}>
            {links.map((entry) => (
              <li key={entry.to}>
                {linkOf(entry)}
                {entry.to === '/settings' && isInSettings && (
                  <ul className={classes.sections}>
                    {settings.map((section) => (
                      <li key={section.to}>{linkOf(section)}</li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  )
}
