import "./code.css";
import { type CompletionSource, snippet } from "@codemirror/autocomplete";
import { Compartment, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useQuery } from "@tanstack/react-query";
import { type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { codeText } from "../../messages/editor/code.ts";
import { useHelp } from "../types/use-help.ts";
import type { Insertion } from "./client-calls.ts";
import { changeTo, completeWith, editable, locked } from "./edit-extensions.ts";
import { loadGrammar } from "./languages.ts";
import { mark, type Place, type Problem, rangeOf, showProblems } from "./problems.ts";
import { Shadow } from "./shadow.tsx";

/** The methods of an editor for the page around it. */
export interface CodeEditorHandle {
  /** Replaces the selection by a snippet, in which `#{name}` is a place to fill in, and puts the cursor there or behind the text. */
  insert: (template: string, findImport?: (text: string) => Insertion | undefined) => void;
  /** Shows a place and puts the cursor there. */
  goTo: (at: Place) => void;
  focus: () => void;
}

interface CodeEditorProps {
  /** The accessible name, such as "Code". */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** A language of scripts, `json`, `yaml`, or anything else for a plain text. */
  language: string;
  readOnly?: boolean;
  /** Problems that were found outside of the editor, such as the error of a run. */
  problems?: readonly Problem[];
  /** Finds problems after each change. */
  findProblems?: (text: string) => readonly Problem[] | Promise<readonly Problem[]>;
  /** Completions beside those of the language. */
  complete?: CompletionSource;
  /** The text is a script: helps with types, completions and errors while typing. `complete` is not asked then. */
  isScript?: boolean;
  /** The path of the script, and the hash of the version that it began from, whose packages and imports the types know. */
  scriptPath?: string;
  scriptHash?: string | undefined;
  /** More keys, such as `Mod-Enter`. They come before those of the editor. */
  keys?: Readonly<Record<string, () => void>>;
  /** More parts of CodeMirror. Another object begins them again, so keep it. */
  extension?: Extension;
  ref?: Ref<CodeEditorHandle>;
}

const NO_PROBLEMS: readonly Problem[] = [];
const NOTHING: Extension = [];

const namedBy = (label: string): Extension =>
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-describedby": "keys" });

/** A text to edit, with colours, completions and problems. Load it by `lazy`. An unchanged `value` keeps the cursor and the undo history. */
export default function CodeEditor(props: CodeEditorProps) {
  const { label, value, language, readOnly = false, problems = NO_PROBLEMS, extension = NOTHING, isScript = false, ref } = props;
  const latest = useRef(props);
  latest.current = props;
  const [view, setView] = useState<EditorView>();
  /** The text that was reported or received last. Comparing it costs nothing while the text stays the same. */
  const current = useRef(value);
  const [parts] = useState(() => ({
    grammar: new Compartment(),
    lock: new Compartment(),
    label: new Compartment(),
    more: new Compartment(),
    help: new Compartment(),
  }));
  const keyNames = Object.keys(props.keys ?? {}).join(" ");
  const grammar = useQuery({
    queryKey: ["grammar", language],
    queryFn: () => loadGrammar(language),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;

  const help = useHelp(language, isScript, { path: props.scriptPath, hash: props.scriptHash, text: value });
  const fill = useCallback(
    (root: ShadowRoot, parent: HTMLElement) => {
      const help = document.createElement("p");
      help.id = "keys";
      help.hidden = true;
      help.textContent = codeText.keys;
      parent.append(help);
      const created = new EditorView({
        doc: current.current,
        extensions: [
          Prec.highest(
            keymap.of(
              keyNames
                .split(" ")
                .filter(Boolean)
                .map((key) => ({ key, run: () => press(key), preventDefault: true })),
            ),
          ),
          editable,
          completeWith((context) => latest.current.complete?.(context) ?? null),
          showProblems(() => latest.current.findProblems),
          // A text without a name would be unusable until the first effect.
          parts.label.of(namedBy(latest.current.label)),
          ...[parts.grammar, parts.lock, parts.more, parts.help].map((part) => part.of([])),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (!docChanged) return;
            const text = state.doc.toString();
            if (text === current.current) return;
            current.current = text;
            latest.current.onChange(text);
          }),
        ],
        root,
        parent,
      });
      const press = (key: string) => {
        latest.current.keys?.[key]?.();
        return true;
      };
      setView(created);
      return () => {
        created.destroy();
        setView(undefined);
      };
    },
    [keyNames, parts],
  );

  // After the paint, the person may have typed more, which an older value would take away again.
  useLayoutEffect(() => {
    if (!view || value === current.current) return;
    current.current = value;
    view.dispatch(changeTo(view.state.doc.toString(), value));
  }, [view, value]);
  useEffect(() => view?.dispatch({ effects: parts.grammar.reconfigure(grammar ?? []) }), [view, parts, grammar]);
  useEffect(() => view?.dispatch({ effects: parts.lock.reconfigure(readOnly ? locked : []) }), [view, parts, readOnly]);
  useEffect(() => view?.dispatch({ effects: parts.more.reconfigure(extension) }), [view, parts, extension]);
  useEffect(() => view?.dispatch({ effects: parts.help.reconfigure(help) }), [view, parts, help]);
  useEffect(() => view?.dispatch({ effects: parts.label.reconfigure(namedBy(label)) }), [view, parts, label]);
  useEffect(() => view?.dispatch({ effects: mark(problems) }), [view, problems]);
  useImperativeHandle(
    ref,
    () => ({
      insert: (template, findImport) => {
        if (!view) return;
        const imported = findImport?.(view.state.doc.toString());
        if (imported) {
          const changes = view.state.changes(imported);
          view.dispatch({ changes, selection: view.state.selection.map(changes, 1) });
        }
        const { from, to } = view.state.selection.main;
        // The last place is behind the text.
        snippet(`${template}#{}`)(view, null, from, to);
        view.focus();
      },
      goTo: (at) => {
        if (!view) return;
        const { from } = rangeOf(view.state.doc, at);
        view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
        view.focus();
      },
      focus: () => view?.focus(),
    }),
    [view],
  );
  return <Shadow className="code-editor" fill={fill} />;
}
