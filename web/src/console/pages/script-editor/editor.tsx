import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Note } from "../../../shared/note.tsx";
import type { Search } from "../../data/address.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { deployText, draftText, settingsText, scriptText as text } from "../../messages/editor/script.ts";
import { storedText } from "../../messages/objects/stored.ts";
import type { CodeEditorHandle } from "../../parts/code/code-editor.tsx";
import type { Problem } from "../../parts/code/problems.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { DraftStatus, NewerDraft } from "../../parts/draft/draft-status.tsx";
import type { ServerDraft } from "../../parts/draft/use-server-draft.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { Dependencies } from "./deploy/dependencies.tsx";
import { MergeDialog } from "./deploy/merge-dialog.tsx";
import { useDeploy } from "./deploy/use-deploy.ts";
import { InsertMenu } from "./fields/insert-menu.tsx";
import { SettingsFields } from "./fields/settings-fields.tsx";
import { changeLanguage, type EditedScript, hasChanges, isPath } from "./script.ts";
import { useSignature } from "./signature/use-signature.ts";
import { TestPanel } from "./test/test-panel.tsx";

const CodeEditor = loadOnDemand(() => import("../../parts/code/code-editor.tsx"), <Loading label={text.loading} />);

interface EditorProps {
  workspace: string;
  /** The deployed version, or the beginning of a new script. */
  deployed: EditedScript;
  isNew: boolean;
  draft: ServerDraft<EditedScript>;
}

const NO_PROBLEMS: readonly Problem[] = [];

/** Edits a script: its code and settings, a test beside it, and its deployment. */
export function Editor({ workspace, deployed, isNew, draft }: EditorProps) {
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const [script, setScript] = useState(draft.shown ?? deployed);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [message, setMessage] = useState("");
  const [isDiscarding, setIsDiscarding] = useState(false);
  const code = useRef<CodeEditorHandle>(null);
  const startTest = useRef<() => void>(undefined);
  const { shown, keep } = draft;
  const first = useRef(shown);
  // Another tab, or the choice of a newer draft, replaces the text.
  useEffect(() => {
    if (shown !== undefined && shown !== first.current) setScript(shown);
    first.current = shown;
  }, [shown]);
  const change = useCallback((changes: Partial<EditedScript>) => {
    setScript((before) => ({ ...before, ...changes }));
  }, []);
  const edited = useRef(script);
  useEffect(() => {
    if (edited.current !== script && script !== shown) keep(script);
    edited.current = script;
  }, [script, shown, keep]);
  const signature = useSignature(script.language, script.content);
  const { deploy, newer, merge, closeNewer } = useDeploy({
    workspace,
    script,
    inferred: signature?.schema,
    onDeployed: async (hash) => {
      // The draft must be gone before the page of a new script ends.
      await draft.discard();
      setMessage("");
      edited.current = { ...script, parent_hash: hash };
      setScript(edited.current);
      notifications.show({ message: deployText.deployed(script.path) });
      void navigate({
        to: "/w/$ws/scripts/$",
        params: { ws: workspace, _splat: `${script.path}/edit` },
        search: { deployed: hash },
        replace: !isNew,
      });
    },
  });
  const keys = useMemo(() => ({ "Mod-Enter": () => startTest.current?.() }), []);
  const isBundle = Boolean(script.codebase);
  const languages = script.language in text.languages ? text.languages : { ...text.languages, [script.language]: script.language };
  const isChanged = hasChanges(deployed, script);
  return (
    <Page
      title={isNew ? text.newTitle : deployed.path}
      actions={
        <Group gap="xs" align="flex-end">
          <InsertMenu
            workspace={workspace}
            language={script.language}
            onInsert={(template, findImport) => code.current?.insert(template, findImport)}
            onReplace={(content) => {
              change({ content });
              code.current?.focus();
            }}
          />
          <Button size="xs" variant="default" disabled={draft.status === "none"} onClick={() => setIsDiscarding(true)}>
            {draftText.discard}
          </Button>
          <TextInput
            size="xs"
            aria-label={deployText.message}
            placeholder={deployText.message}
            maxLength={1000}
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
          <Button
            size="xs"
            loading={deploy.isPending}
            disabled={isBundle || !isPath(script.path) || (!isNew && !isChanged)}
            onClick={() => deploy.mutate(message.trim())}
          >
            {deployText.deploy}
          </Button>
        </Group>
      }
    >
      <Stack gap="md">
        <DraftStatus draft={draft} />
        <NewerDraft draft={draft} />
        {deploy.error && <Failed error={deploy.error} guide="scripts#saving" />}
        {isBundle && <Note tone="plain">{text.bundle}</Note>}
        <div className="script-fields">
          {isNew ? (
            <PathField value={script.path} onChange={(path) => change({ path })} />
          ) : (
            <TextInput label={storedText.path} readOnly value={script.path} />
          )}
          <TextInput
            label={text.summary}
            maxLength={1000}
            value={script.summary}
            onChange={({ target }) => change({ summary: target.value })}
          />
          <NativeSelect
            label={text.language}
            value={script.language}
            data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            onChange={({ target }) => change(changeLanguage(script, target.value as EditedScript["language"]))}
          />
        </div>
        <div className="script-editor">
          <Stack gap="md">
            <CodeEditor
              ref={code}
              label={text.code}
              value={script.content}
              onChange={(content) => change({ content })}
              language={script.language}
              problems={problems}
              keys={keys}
              readOnly={isBundle}
              isScript={!isBundle}
              scriptPath={script.path}
              scriptHash={script.parent_hash}
            />
            <section aria-label={settingsText.title}>
              <Title order={2} size="h5" mb="xs">
                {settingsText.title}
              </Title>
              <SettingsFields script={script} onChange={change} />
            </section>
          </Stack>
          <Stack gap="lg">
            <TestPanel workspace={workspace} script={script} signature={signature} start={startTest} onProblems={setProblems} />
            {search["deployed"] !== undefined && <Dependencies workspace={workspace} hash={search["deployed"]} />}
          </Stack>
        </div>
      </Stack>
      {newer && (
        <MergeDialog
          newer={newer}
          mine={script}
          onMerged={(content, chosenTheirs) => {
            const merged = merge(content, chosenTheirs);
            // The person reads the merged text before it is deployed.
            if (merged) setScript(merged);
          }}
          onClose={closeNewer}
        />
      )}
      <Confirm
        isOpen={isDiscarding}
        title={draftText.discard}
        action={draftText.discard}
        isBusy={false}
        error={null}
        onConfirm={() => {
          setIsDiscarding(false);
          void draft.discard();
          edited.current = deployed;
          setScript(deployed);
        }}
        onClose={() => setIsDiscarding(false)}
      >
        <Text>{draftText.discardWhy}</Text>
      </Confirm>
    </Page>
  );
}
