import { useMemo, useReducer } from "react";
import { readSteps, writeSteps } from "./document/clipboard.ts";
import { addSteps, moveStep, removeStep, renameStep } from "./document/edit.ts";
import type { FlowDocument, FlowValue, Module } from "./document/flow-document.ts";
import { beginHistory, type History, record, redo, undo } from "./document/history.ts";
import { findStep, MAIN, modulesOf, type Position, walk } from "./document/lists.ts";
import { readFlow, readStoredFlow, type YamlProblem } from "./document/yaml.ts";

/** The state of the editor: the document with its history, the step with the focus, the open panel, and a text that is no flow. */
interface EditorState {
  history: History<FlowDocument>;
  /** The step that keys and buttons act on. */
  current: string | undefined;
  /** The step whose panel is open. */
  opened: string | undefined;
  /** A text that is no flow. The document stays at the last valid one. */
  broken: { text: string; problem: YamlProblem } | undefined;
  /** The text from which a document was read, as it was typed. */
  yaml: { text: string; document: FlowDocument } | undefined;
}

type Change = (state: EditorState) => EditorState;
const reduce = (state: EditorState, change: Change): EditorState => change(state);

export type FlowEditor = ReturnType<typeof useFlowEditor>;

/** The text of a flow that is no flow, with its problem. */
type Broken = EditorState["broken"];
/** The beginning of an editor. */
export interface Begin {
  document: FlowDocument;
  broken: Broken;
}

/** Reads the text that an editor has stored. A text that is no flow stays, over the document `otherwise`. */
export function readBegin(text: string | undefined, otherwise: FlowDocument): Begin {
  const read = text === undefined ? undefined : readStoredFlow(text);
  if (text === undefined || !read) return { document: otherwise, broken: undefined };
  return "document" in read
    ? { document: read.document, broken: undefined }
    : { document: otherwise, broken: { text, problem: read.problem } };
}

/** Holds a flow that is edited. Each change can be undone. */
export function useFlowEditor({ document, broken }: Begin, selected: string | undefined) {
  const [state, dispatch] = useReducer(
    reduce,
    undefined,
    (): EditorState => withExisting({ history: beginHistory(document), current: undefined, opened: selected, broken, yaml: undefined }),
  );
  const actions = useMemo(() => makeActions(dispatch), []);
  return { ...state, ...actions, document: state.history.present, value: state.history.present.value };
}

function makeActions(dispatch: (change: Change) => void) {
  const change = (next: (document: FlowDocument) => FlowDocument, field?: string, current?: string) =>
    dispatch((state) => ({
      ...withExisting({ ...state, history: record(state.history, next(state.history.present), field) }),
      current: current ?? state.current,
    }));
  const changeValue = (next: (value: FlowValue) => FlowValue, field?: string, current?: string) =>
    change(
      (document) => {
        const value = next(document.value);
        return value === document.value ? document : { ...document, value };
      },
      field,
      current,
    );
  const add = (position: Position, modules: readonly Module[], opens = false) =>
    dispatch((state) => {
      const { document, ids } = addTo(state.history.present, position, modules);
      const [first] = ids;
      return { ...state, history: record(state.history, document), current: first, opened: opens ? first : state.opened };
    });
  return {
    change,
    changeValue,
    add,
    /** Adds steps after a step, or at the end of the flow. */
    addAfter: (id: string | undefined, modules: readonly Module[]) =>
      dispatch((state) => {
        const { value } = state.history.present;
        const placed = id === undefined ? undefined : findStep(value, id);
        const position = placed ? { list: placed.list, index: placed.index + 1 } : { list: MAIN, index: value.modules.length };
        const { document, ids } = addTo(state.history.present, position, modules);
        return { ...state, history: record(state.history, document), current: ids[0] };
      }),
    remove: (id: string) =>
      dispatch((state) => {
        const { value } = state.history.present;
        const current = neighbourOf(value, id);
        const history = record(state.history, { ...state.history.present, value: removeStep(value, id) });
        return withExisting({ ...state, history, current });
      }),
    move: (id: string, position: Position) => changeValue((value) => moveStep(value, id, position), undefined, id),
    /** Moves a step up or down in its list. */
    shift: (id: string, by: -1 | 1) =>
      changeValue((value) => {
        const placed = findStep(value, id);
        if (!placed) return value;
        const index = placed.index + (by === 1 ? 2 : -1);
        const isInside = index >= 0 && index <= modulesOf(value, placed.list).length;
        return isInside ? moveStep(value, id, { list: placed.list, index }) : value;
      }),
    rename: (id: string, next: string) =>
      dispatch((state) => {
        const { present } = state.history;
        const history = record(state.history, { ...present, value: renameStep(present.value, id, next) });
        const follow = (name: string | undefined) => (name === id ? next : name);
        return { ...state, history, current: follow(state.current), opened: follow(state.opened) };
      }),
    focus: (current: string | undefined) => dispatch((state) => ({ ...state, current })),
    open: (opened: string | undefined) => dispatch((state) => ({ ...state, opened, current: opened ?? state.current })),
    undo: () => dispatch((state) => withExisting({ ...state, history: undo(state.history) })),
    redo: () => dispatch((state) => withExisting({ ...state, history: redo(state.history) })),
    /** Reads the text of the whole flow. A text that is no flow is retained, and the document does not change. */
    setYaml: (text: string) =>
      dispatch((state) => {
        const read = readFlow(text);
        if ("problem" in read) return { ...state, broken: { text, problem: read.problem } };
        const document = withSummary(read.document);
        return withExisting({ ...state, broken: undefined, yaml: { text, document }, history: record(state.history, document, "yaml") });
      }),
    /** Shows the flow that another tab or browser has stored. */
    restore: (text: string) =>
      dispatch((state) => {
        const { document, broken } = readBegin(text, state.history.present);
        return withExisting({ ...state, broken, history: record(state.history, document) });
      }),
    discardYaml: () => dispatch((state) => ({ ...state, broken: undefined })),
  };
}

const withSummary = (document: FlowDocument): FlowDocument => (document.summary === undefined ? { ...document, summary: "" } : document);

function addTo(document: FlowDocument, position: Position, modules: readonly Module[]): { document: FlowDocument; ids: string[] } {
  const { value, ids } = addSteps(document.value, position, modules);
  return { document: { ...document, value }, ids };
}

/** A step that the document lost is neither open nor current. */
function withExisting(state: EditorState): EditorState {
  const { value } = state.history.present;
  const existing = (id: string | undefined) => (id !== undefined && findStep(value, id) ? id : undefined);
  return { ...state, current: existing(state.current), opened: existing(state.opened) };
}

/** The step that has the focus after another one is removed: the next one, the one before it, or the one around it. */
function neighbourOf(value: FlowValue, id: string): string | undefined {
  const placed = findStep(value, id);
  if (!placed) return undefined;
  const list = modulesOf(value, placed.list);
  return (list[placed.index + 1] ?? list[placed.index - 1])?.id ?? placed.list.owner;
}

/** The steps that a key leads to, in the order of the document. */
export const orderOf = (value: FlowValue, folded: ReadonlySet<string>): string[] => {
  const hidden = new Set<string>();
  return [...walk(value)].flatMap(({ module, list }) => {
    if (list.owner !== undefined && (hidden.has(list.owner) || folded.has(list.owner))) {
      hidden.add(module.id);
      return [];
    }
    return [module.id];
  });
};

export const stepText = (value: FlowValue, id: string): string | undefined => {
  const placed = findStep(value, id);
  return placed && writeSteps([placed.module]);
};
export { readSteps };
