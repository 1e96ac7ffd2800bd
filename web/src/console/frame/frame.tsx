import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { Refused } from "../../shared/service.ts";
import { noteUse } from "../data/last-workspaces.ts";
import { memberQuery, meQuery, useWorkspace, workspacesQuery } from "../data/me.ts";
import { useAppliedPreferences } from "../data/preferences.ts";
import { useSessionState } from "../data/session.ts";
import { frameText } from "../messages/frame.ts";
import { loadOnDemand } from "./load-on-demand.tsx";
import { Navigation } from "./navigation.tsx";
import { Page } from "./page.tsx";
import { ToStart } from "./page-failed.tsx";
import { Palette } from "./palette/palette.tsx";
import { Failed, Loading } from "./panel.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { UserMenu } from "./user-menu.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

const SessionEnded = loadOnDemand(() => import("./session-ended.tsx"), null);

/** The frame of the pages of a workspace. */
export function WorkspaceFrame() {
  const workspace = useWorkspace();
  const member = useQuery(memberQuery(workspace));
  useEffect(() => {
    if (member.data) noteUse(workspace);
  }, [workspace, member.data]);
  return (
    <Frame
      username={member.data?.username}
      isSuperAdmin={member.data?.is_super_admin ?? false}
      error={member.data ? null : member.error}
      onRetry={() => void member.refetch()}
    >
      {member.data && <Outlet />}
    </Frame>
  );
}

/** The frame of the pages that belong to no workspace. */
export function AccountFrame() {
  const me = useQuery(meQuery);
  return (
    <Frame
      username={me.data?.username ?? me.data?.email}
      isSuperAdmin={me.data?.super_admin ?? false}
      error={me.data ? null : me.error}
      onRetry={() => void me.refetch()}
    >
      {me.data && <Outlet />}
    </Frame>
  );
}

interface FrameProps {
  username: string | undefined;
  isSuperAdmin: boolean;
  error: Error | null;
  onRetry: () => void;
  children: ReactNode;
}

function Frame({ username, isSuperAdmin, error, onRetry, children }: FrameProps) {
  const [showsMenu, setShowsMenu] = useState(false);
  const { href } = useLocation();
  const workspaces = useQuery(workspacesQuery);
  const hasEnded = useSessionState() === "ended";
  useAppliedPreferences();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a small screen closes when a page opens
  useEffect(() => setShowsMenu(false), [href]);
  if (error instanceof Refused && error.status === 401) return <GoToLogin returnTo={href} />;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {frameText.skip}
      </a>
      <header className="frame-top">
        <Button className="menu-button" variant="default" size="xs" aria-expanded={showsMenu} onClick={() => setShowsMenu(!showsMenu)}>
          {frameText.menu}
        </Button>
        <WorkspaceSwitcher workspaces={workspaces.data ?? []} />
        <Palette />
        <Shortcuts />
        <UserMenu username={username ?? "…"} isSuperAdmin={isSuperAdmin} />
      </header>
      <Navigation isOpen={showsMenu} />
      <main id="content" tabIndex={-1}>
        {error ? (
          <Page title={frameText.failed}>
            <Failed error={error} guide="console#sign-in" onRetry={onRetry} />
            <ToStart />
          </Page>
        ) : (
          (children ?? <Loading />)
        )}
      </main>
      {hasEnded && <SessionEnded />}
    </div>
  );
}

/** Opens the sign-in page once: the address changes while it loads. */
function GoToLogin({ returnTo }: { returnTo: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a redirect happens once
  useEffect(() => void navigate({ to: "/login", search: { to: returnTo }, replace: true }), []);
  return null;
}
