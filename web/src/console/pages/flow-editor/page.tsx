import "./flow-editor.css";
import { useQuery } from "@tanstack/react-query";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { NEW_DOCUMENT } from "./document/flow-document.ts";
import { Editor } from "./editor.tsx";
import { type LoadedFlow, loadFlow } from "./flow-api.ts";
import { useFlowDraft } from "./use-flow-draft.ts";

const NEW = { document: NEW_DOCUMENT, version: undefined };

/** Edits a flow. Without a path: a new one. */
export default function FlowEditorPage({ path }: { path?: string }) {
  const workspace = useWorkspace();
  if (path === undefined) return <Drafted workspace={workspace} path={undefined} loaded={NEW} />;
  return <StoredFlow key={path} workspace={workspace} path={path} />;
}

function StoredFlow({ workspace, path }: { workspace: string; path: string }) {
  const flow = useQuery({
    queryKey: [workspace, "edited flow", path],
    queryFn: () => loadFlow(workspace, path),
    // The editor begins from one version. A newer one is compared when it deploys.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (flow.data) return <Drafted workspace={workspace} path={path} loaded={flow.data} />;
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
}

/** The editor begins with the draft of the person, if there is one. */
function Drafted(props: DraftedProps) {
  const { username } = useMember();
  const draft = useFlowDraft(props.workspace, props.path, username);
  return draft.status === "loading" ? <Loading /> : <Editor draft={draft} {...props} />;
}
