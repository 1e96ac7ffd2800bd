import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate, Outlet, useParams } from "@tanstack/react-router";
import { basePath } from "../shared/base-path.ts";
import { parseSearch, type Search, splitRunnable, stringifySearch } from "./data/address.ts";
import { memberQuery, meQuery, workspacesQuery } from "./data/me.ts";
import { queries } from "./data/queries.ts";
import { AccountFrame, WorkspaceFrame } from "./frame/frame.tsx";
import { reloadIntoNewVersion } from "./frame/new-version.ts";
import { NotFound, PageFailed } from "./frame/page-failed.tsx";
import { runQuery } from "./parts/run-query.ts";

/** Links may give numbers. */
const toSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, value === undefined ? undefined : String(value)]));

/** A page at an address without a page. */
const Nowhere = () => (
  <main id="content">
    <NotFound />
  </main>
);

const root = createRootRoute({ component: Outlet, notFoundComponent: Nowhere, validateSearch: toSearch });

const home = createRoute({ getParentRoute: () => root, path: "/", component: () => <Navigate to="/login" replace /> });
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyRouteComponent(() => import("./pages/login/page.tsx")),
});

const share = createRoute({
  getParentRoute: () => root,
  path: "/share/$token",
  component: lazyRouteComponent(() => import("./pages/share/page.tsx")),
});

const chatLink = createRoute({
  getParentRoute: () => root,
  path: "/chat/link",
  component: lazyRouteComponent(() => import("./pages/chat-link/page.tsx")),
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: "/w/$ws",
  component: WorkspaceFrame,
  // The frame waits for them. They are requested while the code of the page is loaded.
  loader: ({ params: { ws } }) => {
    void queries.prefetchQuery(memberQuery(ws));
    void queries.prefetchQuery(workspacesQuery);
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const FlowPage = lazyRouteComponent(() => import("./pages/runnable/page.tsx"), "FlowPage");
const FlowEditor = lazyRouteComponent(() => {
  // Together with its first view, which the editor imports too, and reports if it is absent.
  import("./pages/flow-editor/views/graph/flow-graph.tsx").catch(() => undefined);
  return import("./pages/flow-editor/page.tsx");
});

/** Shows a flow or its editor, which are two pages. */
function FlowOrEditor() {
  const { _splat: rest = "" } = useParams({ strict: false });
  const { path, view } = splitRunnable(rest);
  return view === "edit" ? <FlowEditor key={path} path={path} /> : <FlowPage />;
}

const inWorkspace = { getParentRoute: () => workspace } as const;
const workspacePages = [
  createRoute({ ...inWorkspace, path: "/", component: lazyRouteComponent(() => import("./pages/home/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/runs", component: lazyRouteComponent(() => import("./pages/runs/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/approvals", component: lazyRouteComponent(() => import("./pages/approvals/page.tsx")) }),
  createRoute({
    ...inWorkspace,
    path: "/runs/$id",
    component: lazyRouteComponent(() => import("./pages/run/page.tsx")),
    // The run is requested while its page is loaded, and not while the pointer is on a link.
    loader: ({ params: { ws, id }, preload }) => void (preload || queries.prefetchQuery(runQuery(ws, id))),
    preloadStaleTime: 0,
  }),
  createRoute({
    ...inWorkspace,
    path: "/runs/$id/compare/$other",
    component: lazyRouteComponent(() => import("./pages/compare/page.tsx")),
  }),
  createRoute({ ...inWorkspace, path: "/items", component: lazyRouteComponent(() => import("./pages/items/page.tsx")) }),
  createRoute({
    ...inWorkspace,
    path: "/scripts/new",
    component: lazyRouteComponent(() => import("./pages/script-editor/page.tsx")),
  }),
  createRoute({
    ...inWorkspace,
    path: "/scripts/$",
    component: lazyRouteComponent(() => import("./pages/runnable/page.tsx"), "ScriptPage"),
  }),
  createRoute({ ...inWorkspace, path: "/flows/new", component: FlowEditor }),
  createRoute({
    ...inWorkspace,
    path: "/flows/$",
    component: FlowOrEditor,
    loader: ({ params: { _splat: rest = "" } }) => (splitRunnable(rest).view === "edit" ? FlowEditor : FlowPage).preload?.(),
  }),
  createRoute({ ...inWorkspace, path: "/schedules", component: lazyRouteComponent(() => import("./pages/schedules/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/triggers", component: lazyRouteComponent(() => import("./pages/triggers/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/routes", component: lazyRouteComponent(() => import("./pages/routes/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/variables", component: lazyRouteComponent(() => import("./pages/variables/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/resources", component: lazyRouteComponent(() => import("./pages/resources/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/resource-types", component: lazyRouteComponent(() => import("./pages/resource-types/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/files", component: lazyRouteComponent(() => import("./pages/files/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/folders", component: lazyRouteComponent(() => import("./pages/folders/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/groups", component: lazyRouteComponent(() => import("./pages/groups/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/users", component: lazyRouteComponent(() => import("./pages/users/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/apps", component: lazyRouteComponent(() => import("./pages/apps/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/changes", component: lazyRouteComponent(() => import("./pages/changes/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/audit", component: lazyRouteComponent(() => import("./pages/audit/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/settings", component: lazyRouteComponent(() => import("./pages/settings/page.tsx")) }),
  createRoute({ ...inWorkspace, path: "/settings/$tab", component: lazyRouteComponent(() => import("./pages/settings/page.tsx")) }),
] as const;

const account = createRoute({
  getParentRoute: () => root,
  id: "account",
  component: AccountFrame,
  loader: () => {
    void queries.prefetchQuery(meQuery);
    void queries.prefetchQuery(workspacesQuery);
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const inAccount = { getParentRoute: () => account } as const;
const accountPages = [
  createRoute({ ...inAccount, path: "/account/$tab", component: lazyRouteComponent(() => import("./pages/account/page.tsx")) }),
  createRoute({ ...inAccount, path: "/instance/$tab", component: lazyRouteComponent(() => import("./pages/instance/page.tsx")) }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([home, login, share, chatLink, workspace.addChildren(workspacePages), account.addChildren(accountPages)]),
  basepath: basePath || "/",
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageFailed,
  // A page's code is loaded while the pointer is on its link.
  defaultPreload: "intent",
  scrollRestoration: true,
});
router.subscribe("onBeforeNavigate", ({ toLocation, pathChanged }) => {
  if (pathChanged) reloadIntoNewVersion(toLocation.href);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
