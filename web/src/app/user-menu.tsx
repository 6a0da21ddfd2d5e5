import { UnstyledButton } from '@mantine/core'
import { IconApi, IconKey, IconLogout, IconShieldLock } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { endSession, maySignOut, useCurrentUser } from '../api/session.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import classes from './shell.module.css'

const ChangePasswordModal = lazyComponent(
  async () => (await import('../features/session/change-password-modal.tsx')).ChangePasswordModal,
)

const hideMenu = () => document.getElementById('user-menu')?.hidePopover()

/** Uses the browser's own popover, which closes on Escape or an outside click and returns the focus. */
export function UserMenu() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const user = useCurrentUser()
  const [isChangingPassword, setIsChangingPassword] = useState(false)
  if (user === null) return null

  const logout = async () => {
    if (!(await maySignOut())) return
    // Ends the session on the server, too. If the server can't be reached, the browser signs out anyway.
    call('POST /auth/logout', {}).catch(() => {})
    endSession()
    navigate({ to: '/login' })
  }

  return (
    <>
      <UnstyledButton
        className={classes.user}
        popoverTarget="user-menu"
        aria-label={t('HEADER.USER_MENU', { name: user.username })}
        data-initials={user.username.slice(0, 2).toUpperCase()}
      />
      <div id="user-menu" popover="auto" className={classes.menu}>
        <div className={classes.who}>
          <strong>{user.username}</strong>
          <span>{user.email}</span>
          <span>{t(`USER.ROLE_${user.role.toUpperCase()}`)}</span>
        </div>
        <UnstyledButton
          className={classes.item}
          popoverTarget="user-menu"
          popoverTargetAction="hide"
          onClick={() => setIsChangingPassword(true)}
        >
          <IconKey size={16} aria-hidden />
          {t('HEADER.CHANGE_PASSWORD')}
        </UnstyledButton>
        <Link to="/api-keys" className={classes.item} onClick={hideMenu}>
          <IconApi size={16} aria-hidden />
          {t('API_KEY.TITLE')}
        </Link>
        <Link to="/security" className={classes.item} onClick={hideMenu}>
          <IconShieldLock size={16} aria-hidden />
          {t('SECURITY.TITLE')}
        </Link>
        <UnstyledButton
          className={classes.item}
          popoverTarget="user-menu"
          popoverTargetAction="hide"
          onClick={logout}
        >
          <IconLogout size={16} aria-hidden />
          {t('HEADER.LOGOUT')}
        </UnstyledButton>
      </div>
      {isChangingPassword && <ChangePasswordModal onClose={() => setIsChangingPassword(false)} />}
    </>
  )
}
