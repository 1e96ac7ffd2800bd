import { Badge, Button, Group, Tabs, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { Note } from "../../../shared/note.tsx";
import { Refused } from "../../../shared/service.ts";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { useMember } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { Page } from "../../frame/page.tsx";
import { Failed } from "../../frame/panel.tsx";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { draftText } from "../../messages/editor/script.ts";
import { DraftStatus, NewerDraft } from "../../parts/draft/draft-status.tsx";
import type { ServerDraft } from "../../parts/draft/use-server-draft.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { runnableKey } from "../runnable/use-runnable.ts";
import { AddDialog } from "./add-dialog.tsx";
import { Conflict } from "./conflict.tsx";
import type { FlowDocument } from "./document/flow-document.ts";
import { innerLists, type ListRef, MAIN, type Position, stepsAround, walk } from "./document/lists.ts";
import { deployFlow, type LoadedFlow, loadFlow, loadVersion } from "./flow-api.ts";
import { refusedStep } from "./refused-step.ts";
import { Side } from "./side.tsx";
import { PasteDialog, RenameDialog } from "./step-dialogs.tsx";
import { FollowTest, type StartedTest } from "./test/follow-test.tsx";
import type { ChosenIterations, TestedSteps } from "./test/tested-steps.ts";
import { Toolbar } from "./toolbar.tsx";
import { type FlowDraft, restoreFromDraft, useKeptDraft } from "./use-flow-draft.ts";
import { readBegin, useFlowEditor } from "./use-flow-editor.ts";
import { foldedAtFirst } from "./views/graph/layout.ts";
import { ListView } from "./views/list-view.tsx";
import { YamlView } from "./views/yaml-view.tsx";

const Graph = loadOnDemand(() => import("./views/graph/flow-graph.tsx"));
const TestPanel = loadOnDemand(() => import("./test/test-panel.tsx"));

interface EditorProps {
  workspace: string;
  /** The path of the deployed flow. Undefined: a new one. */
  path: string | undefined;
  loaded: LoadedFlow;
  draft: ServerDraft<FlowDraft>;
}

/** The role of a step that is added beside the others. */
const roleOf = ({ list: { list } }: Position) =>
  list === "failure_module" ? "failure" : list === "preprocessor_module" ? "preprocessor" : undefined;

type Dialog = { kind: "add"; position: Position } | { kind: "rename"; id: string } | { kind: "paste" };

/** Edits a flow: as a graph, as a list or as text, with the panel of a step beside it. */
export function Editor({ workspace, path, loaded, draft }: EditorProps) {
  const search: Search = useSearch({ strict: false });
  // The address selects the step whose panel is open.
  const selected = search["step"];
  const flowKey = `${workspace} ${path ?? ""}`;
  const { shown } = draft;
  const [initial] = useState(() => {
    if (shown) restoreFromDraft(flowKey, shown);
    return readBegin(shown?.text, loaded.document);
  });
  const editor = useFlowEditor(initial, selected);
  const [base, setBase] = useState<LoadedFlow>({ document: loaded.document, version: shown ? shown.version : loaded.version });
  const [newPath, setNewPath] = useState(shown?.path ?? "");
  const [message, setMessage] = useState("");
  const [theirs, setTheirs] = useState<LoadedFlow & { base: FlowDocument | undefined }>();
  const [folded, setFolded] = useState(() => foldedAtFirst(initial.document.value.modules, [...walk(initial.document.value)].length));
  const [dialog, setDialog] = useState<Dialog>();
  const [tests, setTests] = useState(false);
  const [test, setTest] = useState<StartedTest>();
  const [job, setJob] = useState<string>();
  const [tested, setTested] = useState<TestedSteps>(new Map());
  const [chosen, setChosen] = useState<ChosenIterations>(new Map());
  const member = useMember();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const tab = search["tab"] === "yaml" || search["tab"] === "list" ? search["tab"] : "graph";
  const mayEdit = isOffered(path === undefined ? "flows.create" : "flows.update", member);
  const readOnly = !mayEdit || editor.broken !== undefined;
  const { document: edited, value, broken } = editor;
  const isChanged = edited !== base.document || broken !== undefined || newPath !== "";
  const savedPath = path ?? newPath;
  useKeptDraft({ draft, flow: flowKey, path: newPath, version: base.version, editor, isChanged: mayEdit && isChanged });
  // Another tab, or the choice of a newer draft, replaces the flow.
  const first = useRef(shown);
  useEffect(() => {
    if (shown && shown !== first.current) {
      restoreFromDraft(flowKey, shown);
      editor.restore(shown.text);
      setNewPath(shown.path);
      setBase((current) => ({ ...current, version: shown.version }));
    }
    first.current = shown;
  }, [shown, flowKey, editor.restore]);
  const change = useCallback(
    (changes: Search) => void navigate({ to: ".", search: (current) => ({ ...current, ...changes }), replace: true }),
    [navigate],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another open step changes the address
  useEffect(() => {
    if (editor.opened !== selected) change({ step: editor.opened });
  }, [editor.opened]);

  const deploy = useMutation({
    mutationFn: async ({ document: saved, version }: LoadedFlow) => {
      try {
        await deployFlow({ workspace, path: savedPath, document: saved, version, message });
        return { newer: undefined, saved };
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== "object.versionChanged") throw error;
        const [newer, replaced] = await Promise.all([loadFlow(workspace, savedPath), loadVersion(workspace, version)]);
        return { newer: { ...newer, base: replaced }, saved };
      }
    },
    onSuccess: async ({ newer, saved }) => {
      if (newer) {
        setTheirs(newer);
        return;
      }
      setTheirs(undefined);
      setMessage("");
      // Before another page shows the path of a new flow.
      await draft.discard();
      notifications.show({ message: text.deployed(savedPath) });
      await Promise.all([
        queries.invalidateQueries({ queryKey: runnableKey(workspace, "flow", savedPath) }),
        queries.invalidateQueries({ queryKey: [workspace, "items"] }),
      ]);
      const { version } = await loadFlow(workspace, savedPath);
      setBase({ document: saved, version });
      setNewPath("");
      if (path === undefined) {
        await navigate({ to: "/w/$ws/flows/$", params: { ws: workspace, _splat: `${savedPath}/edit` }, search: {}, replace: true });
      }
    },
    onError: (error) => {
      const id = error instanceof Refused ? refusedStep(value, error) : undefined;
      if (id !== undefined) reveal(id, true);
    },
  });

  /** Goes back to the deployed flow. Undo brings the draft back. */
  const discard = () => {
    void draft.discard();
    if (broken) editor.discardYaml();
    editor.change(() => loaded.document);
    setBase(loaded);
    setNewPath("");
  };
  const start = (started: StartedTest) => {
    setTest(started);
    setChosen(new Map());
    if (started.step === undefined) setJob(started.job);
  };
  /** The states of a test of one step take the place of its former ones. */
  const show = useCallback(
    (steps: TestedSteps) => setTested((current) => (test?.step === undefined ? steps : new Map([...current, ...steps]))),
    [test?.step],
  );
  const fold = (id: string, isFolded: boolean) =>
    setFolded((current) => new Set(isFolded ? [...current, id] : [...current].filter((each) => each !== id)));
  /** Makes a step visible: it and the containers around it. */
  const reveal = (id: string, opens = false) => {
    const around = stepsAround(value, id).map((module) => module.id);
    setFolded((current) => new Set([...current].filter((each) => !around.includes(each))));
    if (opens) editor.open(id);
    else editor.focus(id);
  };
  const foldAll = (isFolded: boolean) =>
    setFolded(new Set(isFolded ? [...walk(value)].flatMap(({ module }) => (innerLists(module).length > 0 ? [module.id] : [])) : []));
  const addAt = (list: ListRef) => setDialog({ kind: "add", position: { list, index: 0 } });
  const view = {
    editor,
    readOnly,
    folded,
    tested,
    onChooseIteration: (loop: string, iteration: number | undefined) =>
      setChosen((current) => {
        const others = [...current].filter(([id]) => id !== loop);
        return new Map(iteration === undefined ? others : [...others, [loop, iteration]]);
      }),
    onFold: fold,
    onAdd: (position: Position) => setDialog({ kind: "add", position }),
    onRename: (id: string) => id !== "failure" && id !== "preprocessor" && setDialog({ kind: "rename", id }),
  };
  const close = () => setDialog(undefined);
  return (
    <Page
      title={path ?? text.newFlow}
      mark={
        mayEdit && (
          <>
            {isChanged && <Badge color="gray.7">{text.changed}</Badge>}
            <DraftStatus draft={draft} />
          </>
        )
      }
      actions={
        <Group gap="xs" align="flex-end" className="flow-head">
          {isOffered("jobs.run.previewFlow", member) && (
            <Button size="xs" variant="default" disabled={broken !== undefined} onClick={() => setTests(true)}>
              {text.test}
            </Button>
          )}
          {mayEdit && (
            <>
              <Button size="xs" variant="default" disabled={!isChanged} onClick={discard}>
                {draftText.discard}
              </Button>
              <TextInput
                size="xs"
                aria-label={text.message}
                placeholder={text.message}
                maxLength={1000}
                value={message}
                onChange={({ target }) => setMessage(target.value)}
              />
              <Button
                size="xs"
                loading={deploy.isPending}
                disabled={broken !== undefined || savedPath === ""}
                onClick={() => deploy.mutate({ document: edited, version: base.version })}
              >
                {text.deploy}
              </Button>
            </>
          )}
        </Group>
      }
    >
      {mayEdit && <NewerDraft draft={draft} />}
      {path === undefined && <PathField value={newPath} onChange={setNewPath} />}
      {deploy.error && <Failed error={deploy.error} guide="console#flow-editor" />}
      {theirs && (
        <Conflict
          key={theirs.version}
          base={theirs.base}
          mine={edited}
          theirs={theirs.document}
          onMerge={(merged) => {
            editor.change(() => merged);
            deploy.mutate({ document: merged, version: theirs.version });
          }}
          onUseTheirs={() => {
            editor.change(() => theirs.document);
            setBase(theirs);
            setTheirs(undefined);
          }}
        />
      )}
      <Tabs
        value={tab}
        onChange={(next) => change({ tab: next === "graph" ? undefined : (next ?? undefined) })}
        keepMounted={false}
        mt="sm"
      >
        <Tabs.List aria-label={text.views}>
          {(["graph", "list", "yaml"] as const).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {text.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {broken && tab !== "yaml" && (
          <Note tone="bad">
            <Text>{text.yamlBroken}</Text>
          </Note>
        )}
        {tab !== "yaml" && (
          <Toolbar
            editor={editor}
            readOnly={readOnly}
            onRename={view.onRename}
            onPaste={() => setDialog({ kind: "paste" })}
            onAddLast={() => setDialog({ kind: "add", position: { list: MAIN, index: value.modules.length } })}
            onAddAside={(list) => addAt({ list })}
            onShow={reveal}
            onFoldAll={foldAll}
          />
        )}
        <div className="flow-editor" data-tab={tab}>
          <div className="flow-main">
            <Tabs.Panel value="graph">
              <Graph {...view} />
            </Tabs.Panel>
            <Tabs.Panel value="list">
              <ListView {...view} />
            </Tabs.Panel>
            <Tabs.Panel value="yaml">
              <YamlView editor={editor} readOnly={!mayEdit} />
            </Tabs.Panel>
          </div>
          <div className="flow-side">
            {tests && (
              <TestPanel
                workspace={workspace}
                path={savedPath}
                document={edited}
                job={job}
                onStarted={(started) => start({ job: started })}
                onClose={() => setTests(false)}
              />
            )}
            <Side
              workspace={workspace}
              path={savedPath}
              flowKey={flowKey}
              editor={editor}
              readOnly={readOnly}
              lastJob={job}
              tested={tested}
              onTest={start}
            />
          </div>
        </div>
      </Tabs>
      {test && <FollowTest key={test.job} workspace={workspace} test={test} chosen={chosen} onTested={show} />}
      {dialog?.kind === "add" && (
        <AddDialog
          workspace={workspace}
          role={roleOf(dialog.position)}
          onChoose={(module) => editor.add(dialog.position, [module], true)}
          onClose={close}
        />
      )}
      {dialog?.kind === "rename" && <RenameDialog editor={editor} id={dialog.id} onClose={close} />}
      {dialog?.kind === "paste" && <PasteDialog editor={editor} onClose={close} />}
    </Page>
  );
}
