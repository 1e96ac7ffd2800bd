import "./flow-editor.css";
import { useQuery } from "@tanstack/react-query";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import type { ServerDraft } from "../../parts/draft/use-server-draft.ts";
import { NEW_DOCUMENT } from "./document/flow-document.ts";
import { Editor } from "./editor.tsx";
import { type LoadedFlow, loadFlow } from "./flow-api.ts";
import { type FlowDraft, useFlowDraft } from "./use-flow-draft.ts";

const NEW = { document: NEW_DOCUMENT, version: undefined };

/** Edits a flow. Without a path: a new one. */
export default function FlowEditorPage({ path }: { path?: string }) {
  const workspace = useWorkspace();
  const { username } = useMember();
  const draft = useFlowDraft(workspace, path, username);
  if (path !== undefined) return <StoredFlow key={path} workspace={workspace} path={path} draft={draft} />;
  return <Drafted workspace={workspace} path={undefined} loaded={NEW} draft={draft} />;
}

interface StoredFlowProps {
  workspace: string;
  path: string;
  draft: ServerDraft<FlowDraft>;
}

function StoredFlow({ workspace, path, draft }: StoredFlowProps) {
  const flow = useQuery({
    queryKey: [workspace, "edited flow", path],
    queryFn: () => loadFlow(workspace, path),
    // The editor begins from one version. A newer one is compared when it deploys.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (flow.data) return <Drafted workspace={workspace} path={path} loaded={flow.data} draft={draft} />;
  if (!flow.error) return <Loading />;
  return (
    <Page title={frameText.failed}>
      <Failed error={flow.error} guide="console#flow-editor" onRetry={() => void flow.refetch()} />
    </Page>
  );
}

interface DraftedProps {
  workspace: string;
  path: string | undefined;
  loaded: LoadedFlow;
  draft: ServerDraft<FlowDraft>;
}

/** The editor begins with the draft of the person, if there is one. */
const Drafted = (props: DraftedProps) => (props.draft.status === "loading" ? <Loading /> : <Editor {...props} />);
