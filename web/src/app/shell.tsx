import '../ui/component-styles.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../api/live.ts'
import { createQueryClient } from '../api/queries.ts'
import { dropQuestion, useQuestion } from '../ui/confirm.ts'
import { lazily } from '../ui/lazily.tsx'
import { Header } from './header.tsx'
import { NetworkNotice } from './network-notice.tsx'
import classes from './shell.module.css'
import { Sidebar } from './sidebar.tsx'

const ConfirmDialog = lazily(async () => (await import('../ui/confirm-dialog.tsx')).ConfirmDialog)

/** Header, sidebar and the page. Plain HTML and CSS: a layout library would weigh more than all of this. */
export function Shell() {
  const { t } = useTranslation()
  const [queryClient] = useState(createQueryClient)
  useLive(queryClient)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const isAsking = useQuestion() !== null
  useQuestionsOfPage()
  useEscape(isMenuOpen, () => setIsMenuOpen(false))
  return (
    <QueryClientProvider client={queryClient}>
      <a className={classes.skip} href="#content">
        {t('COMMON.SKIP_TO_CONTENT')}
      </a>
      <SlowPage />
      <Header isMenuOpen={isMenuOpen} onToggleMenu={() => setIsMenuOpen(!isMenuOpen)} />
      <div className={classes.body}>
        <aside id="main-menu" className={classes.sidebar} data-open={isMenuOpen || undefined}>
          <Sidebar onNavigate={() => setIsMenuOpen(false)} />
        </aside>
        <main id="content" className={classes.main} tabIndex={-1}>
          <NetworkNotice />
          <Outlet />
        </main>
      </div>
      {isAsking && <ConfirmDialog />}
    </QueryClientProvider>
  )
}

/** A page that takes its time shows that it is on its way. */
function SlowPage() {
  const isComing = useRouterState({ select: ({ isLoading }) => isLoading })
  return isComing && <div className={classes.progress} />
}

/** A question is about what one has seen: whoever goes back, or is signed out, leaves it behind. */
function useQuestionsOfPage() {
  const href = useLocation({ select: (location) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is what ends it
  useEffect(() => () => dropQuestion(), [href])
}

function useEscape(isOn: boolean, close: () => void) {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isOn, close])
}
