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
import { onSessionChanged, onSessionExpired, signedInId } from '../api/session.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { giveFocus } from '../ui/focus.ts'
import { Toaster } from '../ui/toaster.tsx'
import { Crash } from './crash.tsx'
import { requireAllowed, requireSignedIn, requireSignedOut } from './guards.ts'
import { movedTo, type Page, type PagePath, pagePaths, pages } from './pages.ts'
import { loadShell } from './preload.ts'

/**
 * When a page's code can't be loaded, as after an upgrade, the router reloads the whole page. While the server is down
 * that would end at the browser's or a proxy's error page, so this waits for the server and tries once more first.
 */
const lazyPage = (load: Page['load']) =>
  lazyRouteComponent(() =>
    load()
      .catch(() => waitUntilReachable().then(load))
      .then((component) => ({ default: component })),
  )

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
  path: '/login',
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
  component: lazyPage(loadShell),
})

/** The route of a page. Its type has the page's own path and search, so links to it are checked. */
function routeOf<P extends PagePath, R extends Page['readSearch']>(path: P) {
  const page: Page = pages[path]
  return createRoute({
    getParentRoute: () => shell,
    path,
    beforeLoad: () => requireAllowed(page),
    component: lazyPage(page.load),
    validateSearch: page.readSearch as R, // as ReadSearch reads it from the table
  })
}

type ReadSearch<P extends PagePath> = (typeof pages)[P] extends {
  readSearch: infer R extends Page['readSearch']
}
  ? R
  : undefined
type Routes = { [P in PagePath]: ReturnType<typeof routeOf<P, ReadSearch<P>>> }[PagePath][]

const routes = pagePaths.map((path) => routeOf(path)) as Routes

/** Redirects the root, former addresses and all unknown paths. */
const elsewhere = ['/', '$'].map((path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: async (entry) => {
      const href = movedTo(entry.location.href)
      if (href === undefined) throw redirect({ to: '/dashboard' })
      // First, so that the login's address carries the requested address.
      await requireSignedIn(entry)
      throw redirect({ href })
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
    if (pathname !== '/login') router.navigate({ to: '/login', search: { returnUrl: href } })
  }
  onSessionExpired(() => {
    reportSessionEnd()
    toLogin()
  })
  onSessionChanged((before) => {
    const now = signedInId()
    if (now === null) toLogin()
    // The reload removes everything the previous user loaded.
    else if (before !== null && before !== now) window.location.reload()
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
