import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import type { Language } from '@sendroom/contract/languages'
import { IconMenu2, IconMoon, IconSun, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { Bell } from '../features/notices/bell.tsx'
import { Mark } from '../ui/brand.tsx'
import { LanguageSelect } from '../ui/language-select.tsx'
import { useTip } from '../ui/tip.tsx'
import classes from './shell.module.css'
import { UserMenu } from './user-menu.tsx'

type Props = { isMenuOpen: boolean; onToggleMenu: () => void }

export function Header({ isMenuOpen, onToggleMenu }: Props) {
  const { t } = useTranslation()
  const MenuIcon = isMenuOpen ? IconX : IconMenu2
  return (
    <header className={classes.header}>
      <div className={classes.side}>
        <ActionIcon
          className={classes.burger}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('HEADER.MAIN_MENU')}
          aria-expanded={isMenuOpen}
          aria-controls="main-menu"
          onClick={onToggleMenu}
        >
          <MenuIcon size={20} aria-hidden />
        </ActionIcon>
        <Mark />
        <span className={classes.title}>{t('HEADER.TITLE')}</span>
      </div>
      <div className={classes.side}>
        <Bell />
        <HeaderTools />
      </div>
    </header>
  )
}

/** Everything in the header that needs no data of the app. */
export const HeaderTools = () => (
  <>
    <ColorSchemeSwitch />
    <LanguageSelect onChoose={storeForEmails} />
    <UserMenu />
  </>
)

/** A failure needs no toast: the app itself has the language already. */
const storeForEmails = (language: Language) =>
  void call('PUT /auth/language', { body: { language } }).catch(() => {})

/** Switches between light and dark. Until the first switch, the app follows the system. */
function ColorSchemeSwitch() {
  const { t } = useTranslation()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme() === 'dark'
  const label = isDark ? t('HEADER.LIGHT_MODE') : t('HEADER.DARK_MODE')
  const Icon = isDark ? IconSun : IconMoon
  const { props, tip } = useTip(label)
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      {...props}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <Icon size={18} aria-hidden />
      {tip}
    </ActionIcon>
  )
}
