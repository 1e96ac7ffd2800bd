import "./runnable.css";
import { Badge, Stack, Tabs, Text } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Note } from "../../../shared/note.tsx";
import { type Search, splitRunnable } from "../../data/address.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { noteOpened } from "../../data/recent.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { runnableText } from "../../messages/runnable.ts";
import { Actions } from "./actions.tsx";
import { RunTab } from "./run-tab.tsx";
import { type Kind, type Runnable, useRunnable } from "./use-runnable.ts";

const ScriptEditor = loadOnDemand(() => import("../script-editor/page.tsx"));
const DetailsTab = loadOnDemand(() => import("./details/details-tab.tsx"));
const VersionsTab = loadOnDemand(() => import("./versions-tab.tsx"));
const WebhooksTab = loadOnDemand(() => import("./webhooks-tab.tsx"));

const tabs = ["run", "webhooks", "versions", "details"] as const;

export const ScriptPage = () => <RunnablePage kind="script" />;
export const FlowPage = () => <RunnablePage kind="flow" />;

/** Shows a script or a flow: its form, its webhooks, its versions and its source. */
function RunnablePage({ kind }: { kind: Kind }) {
  const { _splat: rest = "" } = useParams({ strict: false });
  const { path, view } = splitRunnable(rest);
  return <ShownRunnable kind={kind} path={path} isHistory={view === "history"} isEdit={view === "edit"} />;
}

function ShownRunnable({ kind, path, isHistory, isEdit }: { kind: Kind; path: string; isHistory: boolean; isEdit: boolean }) {
  const workspace = useWorkspace();
  const runnable = useRunnable(workspace, kind, path);
  if (isEdit && runnable.data?.script) {
    return <ScriptEditor script={runnable.data.script} />;
  }
  if (runnable.data) return <Content key={path} workspace={workspace} runnable={runnable.data} isHistory={isHistory} />;
  if (!runnable.error) return <Loading />;
  return (
    <Page title={frameText.failed}>
      <Failed error={runnable.error} guide="console#scripts-and-flows" onRetry={() => void runnable.refetch()} />
    </Page>
  );
}

interface ContentProps {
  workspace: string;
  runnable: Runnable;
  isHistory: boolean;
}

function Content({ workspace, runnable, isHistory }: ContentProps) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { username } = useMember();
  const { kind, path, summary, isArchived } = runnable;
  useEffect(() => noteOpened(workspace, username, { kind, path, atMs: Date.now() }), [workspace, username, kind, path]);
  const tab = tabs.find((name) => name === search["tab"]) ?? (isHistory ? "versions" : "run");
  const open = (name: string | null) => {
    const to = kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$";
    void navigate({ to, params: { ws: workspace, _splat: path }, search: { tab: name ?? undefined }, replace: true });
  };
  return (
    <Page
      title={path}
      mark={isArchived && <Badge color="gray">{runnableText.archived}</Badge>}
      actions={<Actions workspace={workspace} runnable={runnable} />}
    >
      <Stack gap="md">
        {summary && <Text>{summary}</Text>}
        {isArchived && <Note tone="plain">{runnableText.archivedWhy}</Note>}
        <Tabs value={tab} onChange={open} keepMounted={false}>
          <Tabs.List aria-label={runnableText.tabList}>
            {tabs.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {runnableText.tabs[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="run" pt="sm">
            <RunTab workspace={workspace} runnable={runnable} />
          </Tabs.Panel>
          <Tabs.Panel value="webhooks" pt="sm">
            <WebhooksTab workspace={workspace} runnable={runnable} />
          </Tabs.Panel>
          <Tabs.Panel value="versions" pt="sm">
            <VersionsTab workspace={workspace} runnable={runnable} />
          </Tabs.Panel>
          <Tabs.Panel value="details" pt="sm">
            <DetailsTab workspace={workspace} runnable={runnable} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}
