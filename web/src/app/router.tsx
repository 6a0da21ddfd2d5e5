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
import { currentUser, whenSessionChanges, whenSessionEnds } from '../api/session.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { readListSearch } from '../lists/list-search.ts'
import { paths } from '../paths.ts'
import { Toaster } from '../ui/toaster.tsx'
import { Crash } from './crash.tsx'
import { requireAdmin, requireSignedIn, requireSignedOut } from './guards.ts'

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
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})

const inShell = { getParentRoute: () => shell }
const adminOnly = { ...inShell, beforeLoad: requireAdmin }
const list = { ...inShell, validateSearch: readListSearch }

const pages = [
  createRoute({
    ...inShell,
    path: paths.dashboard,
    component: lazyRouteComponent(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
  }),
  createRoute({
    ...list,
    path: paths.messages,
    component: lazyRouteComponent(() => import('../features/messages/messages-page.tsx'), 'MessagesPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.newMessage,
    component: lazyRouteComponent(
      () => import('../features/messages/message-form-page.tsx'),
      'MessageFormPage',
    ),
  }),
  createRoute({
    ...inShell,
    path: paths.editMessage,
    component: lazyRouteComponent(
      () => import('../features/messages/message-form-page.tsx'),
      'MessageFormPage',
    ),
  }),
  createRoute({
    ...list,
    path: paths.jobs,
    component: lazyRouteComponent(() => import('../features/jobs/jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.newJob,
    component: lazyRouteComponent(() => import('../features/jobs/job-form-page.tsx'), 'JobFormPage'),
  }),
  createRoute({
    ...inShell,
    path: paths.job,
    component: lazyRouteComponent(() => import('../features/jobs/job-detail-page.tsx'), 'JobDetailPage'),
  }),
  createRoute({
    ...list,
    path: paths.groups,
    component: lazyRouteComponent(() => import('../features/groups/groups-page.tsx'), 'GroupsPage'),
  }),
  createRoute({
    ...list,
    path: paths.instances,
    component: lazyRouteComponent(() => import('../features/instances/instances-page.tsx'), 'InstancesPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.newInstance,
    component: lazyRouteComponent(
      () => import('../features/instances/instance-form-page.tsx'),
      'InstanceFormPage',
    ),
  }),
  createRoute({
    ...adminOnly,
    path: paths.editInstance,
    component: lazyRouteComponent(
      () => import('../features/instances/instance-form-page.tsx'),
      'InstanceFormPage',
    ),
  }),
  createRoute({
    ...adminOnly,
    ...list,
    path: paths.users,
    component: lazyRouteComponent(() => import('../features/users/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.newUser,
    component: lazyRouteComponent(() => import('../features/users/user-form-page.tsx'), 'UserFormPage'),
  }),
  createRoute({
    ...adminOnly,
    path: paths.editUser,
    component: lazyRouteComponent(() => import('../features/users/user-form-page.tsx'), 'UserFormPage'),
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
    routeTree: root.addChildren([login, shell.addChildren(pages), ...elsewhere]),
    // Search values are plain text in the address: `?search=123`, not `?search="123"`.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: Crash,
    ...(history && { history }),
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
