import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'

import { SessionsScreen } from '../features/sessions/sessions-screen.tsx'
import { DatabaseShell } from '../features/shell/database-shell.tsx'
import { LoadingState } from '../ui/states.tsx'
import { NotFoundScreen } from './not-found-screen.tsx'
import { RootLayout } from './root-layout.tsx'
import {
  parseSearch,
  readAuditSearch,
  readDeadSearch,
  readFindSearch,
  readSessionsSearch,
  readStartSearch,
  stringifySearch,
} from './search.ts'

const rootRoute = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundScreen })

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readStartSearch,
  component: lazyRouteComponent(() => import('../features/start/start-screen.tsx'), 'StartScreen'),
})

// The first screen comes with the program; the others when they are asked for.
const databaseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/d/$databaseId',
  component: DatabaseShell,
})

const databaseIndexRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    // oxlint-disable-next-line typescript/only-throw-error -- how this router is told to redirect
    throw redirect({
      to: '/d/$databaseId/sessions',
      params,
      search: readSessionsSearch({}),
      replace: true,
    })
  },
})

const sessionsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/sessions',
  validateSearch: readSessionsSearch,
  component: SessionsScreen,
})

const deadRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/dead',
  validateSearch: readDeadSearch,
  component: lazyRouteComponent(
    () => import('../features/dead-letters/dead-letters-screen.tsx'),
    'DeadLettersScreen',
  ),
})

const searchRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/search',
  validateSearch: readFindSearch,
  component: lazyRouteComponent(
    () => import('../features/search/search-screen.tsx'),
    'SearchScreen',
  ),
})

const presenceRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/presence',
  component: lazyRouteComponent(
    () => import('../features/presence/presence-screen.tsx'),
    'PresenceScreen',
  ),
})

const auditRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('../features/audit/audit-screen.tsx'), 'AuditScreen'),
})

const routeTree = rootRoute.addChildren([
  startRoute,
  databaseRoute.addChildren([
    databaseIndexRoute,
    sessionsRoute,
    deadRoute,
    searchRoute,
    presenceRoute,
    auditRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: LoadingState,
  defaultPendingMs: 150,
  defaultPreload: false,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
