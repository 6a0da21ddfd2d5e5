import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  type RouterHistory,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import { reportSessionEnd } from '../api/failure.ts'
import { waitUntilReachable } from '../api/network.ts'
import { currentUser, onSessionChanged, onSessionExpired } from '../api/session.ts'
import { readAuditSearch } from '../features/audit/audit-search.ts'
import { readInstancesSearch } from '../features/instances/instances-search.ts'
import { readJobSearch } from '../features/jobs/detail/job-search.ts'
import { readJobsSearch } from '../features/jobs/list/jobs-search.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { readListSearch } from '../lists/list-search.ts'
import { paths, readNewJobSearch } from '../paths.ts'
import { giveFocus } from '../ui/focus.ts'
import { Toaster } from '../ui/toaster.tsx'
import { Crash } from './crash.tsx'
import { requireAdmin, requireSignedIn, requireSignedOut } from './guards.ts'
import { loadShell, pages } from './pages.ts'

/**
 * When a page's code can't be loaded, as after an upgrade, the router reloads the whole page. While the server is down
 * that would end at the browser's or a proxy's error page, so this waits for the server and tries once more first.
 */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => load().catch(() => waitUntilReachable().then(load)), name)

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Toaster />
    </>
  ),
  notFoundComponent: () => null,
})

const login = createRoute({
  getParentRoute: () => root,
  path: paths.login,
  validateSearch: ({ returnUrl }: Record<string, unknown>): { returnUrl?: string } =>
    typeof returnUrl === 'string' ? { returnUrl } : {},
  beforeLoad: requireSignedOut,
  component: LoginPage,
})

/** The frame around every page except the login: header and sidebar. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: requireSignedIn,
  component: lazyPage(loadShell, 'Shell'),
})

const inShell = { getParentRoute: () => shell }
const adminOnly = { ...inShell, beforeLoad: requireAdmin }
const list = { ...inShell, validateSearch: readListSearch }

const routes = [
  createRoute({
    ...inShell,
    path: paths.dashboard,
    component: lazyPage(pages[paths.dashboard], 'DashboardPage'),
  }),
  createRoute({
    ...list,
    path: paths.messages,
    component: lazyPage(pages[paths.messages], 'MessagesPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.newMessage,
    component: lazyPage(pages[paths.newMessage], 'MessageFormPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.editMessage,
    component: lazyPage(pages[paths.editMessage], 'MessageFormPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.jobs,
    validateSearch: readJobsSearch,
    component: lazyPage(pages[paths.jobs], 'JobsPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.newJob,
    validateSearch: readNewJobSearch,
    component: lazyPage(pages[paths.newJob], 'JobFormPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.job,
    validateSearch: readJobSearch,
    component: lazyPage(pages[paths.job], 'JobDetailPage'),
  }),
  createRoute({
    ...list,
    path: paths.groups,
    component: lazyPage(pages[paths.groups], 'GroupsPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.instances,
    validateSearch: readInstancesSearch,
    component: lazyPage(pages[paths.instances], 'InstancesPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.newInstance,
    component: lazyPage(pages[paths.newInstance], 'InstanceFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.editInstance,
    component: lazyPage(pages[paths.editInstance], 'InstanceFormPage'),
  }),
  createRoute({
    ...adminOnly,
    ...list,
    path: paths.users,
    component: lazyPage(pages[paths.users], 'UsersPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.newUser,
    component: lazyPage(pages[paths.newUser], 'UserFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.editUser,
    component: lazyPage(pages[paths.editUser], 'UserFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.audit,
    validateSearch: readAuditSearch,
    component: lazyPage(pages[paths.audit], 'AuditPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.retention,
    component: lazyPage(pages[paths.retention], 'RetentionPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.quotas,
    component: lazyPage(pages[paths.quotas], 'QuotasPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.system,
    component: lazyPage(pages[paths.system], 'SystemPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.receivers,
    component: lazyPage(pages[paths.receivers], 'ReceiversPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.newReceiver,
    component: lazyPage(pages[paths.newReceiver], 'ReceiverFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.editReceiver,
    component: lazyPage(pages[paths.editReceiver], 'ReceiverFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.receiver,
    component: lazyPage(pages[paths.receiver], 'ReceiverPage'),
  }),
] as const

/** Redirects the root and all unknown paths. */
const elsewhere = ['/', '$'].map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: () => {
      throw redirect({ to: paths.dashboard })
    },
  }),
)

export function createAppRouter(history?: RouterHistory) {
  const router = createRouter({
    routeTree: root.addChildren([login, shell.addChildren(routes), ...elsewhere]),
    // Keeps search values as plain text in the address: `?search=123`, not `?search="123"`.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: Crash,
    ...(history && { history }),
  })
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // The link or button that had the focus may have disappeared with its page.
    if (fromLocation && pathChanged) giveFocus()
  })
  // Two calls may find out at once that the session has ended. The second must not return to the login.
  const toLogin = () => {
    const { pathname, href } = router.state.location
    if (pathname !== paths.login) router.navigate({ to: paths.login, search: { returnUrl: href } })
  }
  onSessionExpired(() => {
    reportSessionEnd()
    toLogin()
  })
  onSessionChanged((before) => {
    const now = currentUser()
    if (now === null) toLogin()
    // The reload removes everything the previous user loaded.
    else if (before !== null && before.id !== now.id) window.location.reload()
    // Runs the guards again.
    else router.invalidate()
  })
  return router
}

export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}
