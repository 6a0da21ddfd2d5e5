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
import { untilReached } from '../api/network.ts'
import { currentUser, whenSessionChanges, whenSessionEnds } from '../api/session.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { readListSearch } from '../lists/list-search.ts'
import { paths } from '../paths.ts'
import { giveFocus } from '../ui/focus.ts'
import { Toaster } from '../ui/toaster.tsx'
import { Crash } from './crash.tsx'
import { requireAdmin, requireSignedIn, requireSignedOut } from './guards.ts'
import { loadShell, pages } from './pages.ts'

/**
 * The router reloads the page when code is missing, as after an upgrade. While the server can't be reached that would
 * lose the app to an error page of the browser or a proxy: it is waited for, and asked again, first.
 */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => load().catch(() => untilReached().then(load)), name)

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

/** Header, sidebar, and one page of the app inside. */
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
    ...list,
    path: paths.jobs,
    component: lazyPage(pages[paths.jobs], 'JobsPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.newJob,
    component: lazyPage(pages[paths.newJob], 'JobFormPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.job,
    component: lazyPage(pages[paths.job], 'JobDetailPage'),
  }),
  createRoute({
    ...list,
    path: paths.groups,
    component: lazyPage(pages[paths.groups], 'GroupsPage'),
  }),
  createRoute({
    ...list,
    path: paths.instances,
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
] as const

/** The empty path and every unknown one. */
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
    // Search values are plain text in the address: `?search=123`, not `?search="123"`.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: Crash,
    ...(history && { history }),
  })
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // The link or button that led here may have gone with its page.
    if (fromLocation && pathChanged) giveFocus()
  })
  const toLogin = () =>
    router.navigate({ to: paths.login, search: { returnUrl: router.state.location.href } })
  whenSessionEnds(() => {
    reportSessionEnd()
    toLogin()
  })
  whenSessionChanges((before) => {
    const now = currentUser()
    if (now === null) toLogin()
    // Nothing of somebody else's may stay on the screen.
    else if (before !== null && before.id !== now.id) window.location.reload()
    // The guards look again.
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
