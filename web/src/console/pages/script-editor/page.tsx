import "./script-editor.css";
import { scriptTemplates } from "../../../../../contract/templates/script-templates.ts";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Loading } from "../../frame/panel.tsx";
import { scriptText as text } from "../../messages/editor/script.ts";
import { useServerDraft } from "../../parts/draft/use-server-draft.ts";
import type { Script } from "../runnable/use-runnable.ts";
import { Editor } from "./editor.tsx";
import { type EditedScript, parseEdited, toEdited } from "./script.ts";

/** Edits the newest version of a script, or writes a new one. */
export default function ScriptEditorPage({ script }: { script?: Script }) {
  return script ? <Drafted key={script.path} deployed={toEdited(script)} draftPath={script.path} isNew={false} /> : <NewScript />;
}

/** The draft of a new script belongs to its author, because it has no path yet. */
function NewScript() {
  const { username } = useMember();
  const begun: EditedScript = { path: `u/${username}/`, summary: "", content: scriptTemplates.bun.script, language: "bun" };
  return <Drafted deployed={begun} draftPath={`u/${username}/new_script`} isNew />;
}

interface DraftedProps {
  deployed: EditedScript;
  draftPath: string;
  isNew: boolean;
}

function Drafted({ deployed, draftPath, isNew }: DraftedProps) {
  const workspace = useWorkspace();
  const member = useMember();
  const draft = useServerDraft<EditedScript>({ workspace, kind: "script", path: draftPath, parse: parseEdited });
  if (!isOffered("scripts.create", member)) {
    return (
      <Page title={isNew ? text.newTitle : deployed.path}>
        <Empty title={text.mayNot} guide="permissions#sources-of-permissions" />
      </Page>
    );
  }
  if (draft.status === "loading") return <Loading label={text.loading} />;
  return <Editor workspace={workspace} deployed={deployed} isNew={isNew} draft={draft} />;
}
