import { Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { flowEditorText as text } from "../../messages/editor/flow.ts";
import { copyText } from "../../parts/copy.ts";
import { findSteps } from "./document/edit.ts";
import { findStep } from "./document/lists.ts";
import { type FlowEditor, stepText } from "./use-flow-editor.ts";

interface ToolbarProps {
  editor: FlowEditor;
  readOnly: boolean;
  onRename: (id: string) => void;
  onPaste: () => void;
  onAddLast: () => void;
  onAddAside: (list: "failure_module" | "preprocessor_module") => void;
  /** Makes a step visible and current. */
  onShow: (id: string) => void;
  onFoldAll: (isFolded: boolean) => void;
}

/** The actions on the current step, and on the whole flow. */
export function Toolbar({ editor, readOnly, onRename, onPaste, onAddLast, onAddAside, onShow, onFoldAll }: ToolbarProps) {
  const { history, current, value } = editor;
  const module = current === undefined ? undefined : findStep(value, current)?.module;
  const act = (action: (id: string) => void) => () => current !== undefined && action(current);
  const copy = (id: string) => void copyText(stepText(value, id) ?? "");
  const isAside = current === "failure" || current === "preprocessor";
  const buttons: readonly (readonly [label: string, run: () => void, isOff: boolean])[] = [
    [text.undo, editor.undo, readOnly || history.past.length === 0],
    [text.redo, editor.redo, readOnly || history.future.length === 0],
    [text.rename, act(onRename), readOnly || !module || isAside],
    [text.duplicate, () => module && editor.addAfter(module.id, [module]), readOnly || !module || isAside],
    [text.copy, act(copy), !module],
    [
      text.cut,
      act((id) => {
        copy(id);
        editor.remove(id);
      }),
      readOnly || !module,
    ],
    [text.paste, onPaste, readOnly],
    [text.moveUp, act((id) => editor.shift(id, -1)), readOnly || !module || isAside],
    [text.moveDown, act((id) => editor.shift(id, 1)), readOnly || !module || isAside],
    [text.remove, act(editor.remove), readOnly || !module],
  ];
  return (
    <div className="flow-toolbar" role="toolbar" aria-label={text.toolbar}>
      {!readOnly && (
        <Button size="compact-xs" onClick={onAddLast}>
          {text.addLast}
        </Button>
      )}
      {buttons.map(([label, run, isOff]) => (
        <Button key={label} size="compact-xs" variant="default" disabled={isOff} onClick={run}>
          {label}
        </Button>
      ))}
      <Button size="compact-xs" variant="default" onClick={() => onFoldAll(true)}>
        {text.foldAll}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onFoldAll(false)}>
        {text.unfoldAll}
      </Button>
      {!readOnly && !value.preprocessor_module && (
        <Button size="compact-xs" variant="default" onClick={() => onAddAside("preprocessor_module")}>
          {text.addPreprocessor}
        </Button>
      )}
      {!readOnly && !value.failure_module && (
        <Button size="compact-xs" variant="default" onClick={() => onAddAside("failure_module")}>
          {text.addFailure}
        </Button>
      )}
      <Find editor={editor} onShow={onShow} />
    </div>
  );
}

function Find({ editor, onShow }: Pick<ToolbarProps, "editor" | "onShow">) {
  const [typed, setTyped] = useState("");
  const found = findSteps(editor.value, typed);
  const at = editor.current === undefined ? -1 : found.indexOf(editor.current);
  const next = () => {
    const id = found[(at + 1) % Math.max(1, found.length)];
    if (id !== undefined) onShow(id);
  };
  return (
    <Group gap={4} role="search" aria-label={text.find}>
      <TextInput
        size="xs"
        aria-label={text.find}
        placeholder={text.find}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key }) => key === "Enter" && next()}
      />
      {typed.trim() !== "" && (
        <>
          <Button size="compact-xs" variant="default" disabled={found.length === 0} onClick={next}>
            {text.findNext}
          </Button>
          <Text size="xs" role="status">
            {text.found(at + 1, found.length)}
          </Text>
        </>
      )}
    </Group>
  );
}
