import '../ui/component-styles.ts'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cancelPasswordQuestion, usePasswordQuestion } from '../api/confirmation.ts'
import { useEventStream } from '../api/event-stream.ts'
import { createQueryClient } from '../api/queries.ts'
import { useCurrentUser } from '../api/session.ts'
import { Mark } from '../ui/brand.tsx'
import { dismissQuestion, useQuestion } from '../ui/confirm.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { Header, HeaderTools } from './header.tsx'
import { NetworkNotice } from './network-notice.tsx'
import classes from './shell.module.css'
import { Sidebar } from './sidebar.tsx'

const ConfirmDialog = lazyComponent(async () => (await import('../ui/confirm-dialog.tsx')).ConfirmDialog)

const FactorGate = lazyComponent(async () => (await import('../features/session/factor-gate.tsx')).FactorGate)

const ConfirmPasswordModal = lazyComponent(
  async () => (await import('../features/session/confirm-password-modal.tsx')).ConfirmPasswordModal,
)

/** Header, sidebar and the page. Plain HTML and CSS, because a layout component would weigh more than all of this. */
export function Shell() {
  const [queryClient] = useState(createQueryClient)
  const needsFactor = useCurrentUser()?.needsFactor === true
  const answerPassword = usePasswordQuestion()
  return (
    <QueryClientProvider client={queryClient}>
      {needsFactor ? <BeforeFactor /> : <Frame queryClient={queryClient} />}
      {answerPassword && <ConfirmPasswordModal answer={answerPassword} />}
    </QueryClientProvider>
  )
}

/** The user can do nothing but set up a second factor. */
const BeforeFactor = () => (
  <>
    <header className={classes.header}>
      <Mark />
      <div className={classes.side}>
        <HeaderTools />
      </div>
    </header>
    <main id="content" className={classes.main} tabIndex={-1}>
      <FactorGate />
    </main>
  </>
)

function Frame({ queryClient }: { queryClient: QueryClient }) {
  const { t } = useTranslation()
  useEventStream(queryClient)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const isAsking = useQuestion() !== null
  useDismissQuestionOnNavigation()
  useEscape(isMenuOpen, () => setIsMenuOpen(false))
  return (
    <>
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
    </>
  )
}

/** A progress bar while the next page loads. */
function SlowPage() {
  const isLoadingPage = useRouterState({ select: ({ isLoading }) => isLoading })
  return isLoadingPage && <div className={classes.progress} />
}

/** Cancels open questions when the address changes, since they refer to the page that asked. */
function useDismissQuestionOnNavigation() {
  const href = useLocation({ select: (location) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on each change of the address
  useEffect(
    () => () => {
      dismissQuestion()
      cancelPasswordQuestion()
    },
    [href],
  )
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
