import type { ClipboardEvent, KeyboardEvent } from "react";
import { findStep, innerLists } from "../document/lists.ts";
import { type FlowEditor, orderOf, readSteps, stepText } from "../use-flow-editor.ts";

interface StepKeys {
  editor: FlowEditor;
  readOnly: boolean;
  folded: ReadonlySet<string>;
  onFold: (id: string, isFolded: boolean) => void;
  onRename: (id: string) => void;
}

/** The step whose button has the focus. */
const focusedStep = (): string | undefined =>
  document.activeElement instanceof HTMLElement ? document.activeElement.dataset["stepId"] : undefined;

/** The keys of both views: they act on the step whose button has the focus. */
export function stepKeys({ editor, readOnly, folded, onFold, onRename }: StepKeys) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    const { value } = editor;
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const stop = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (control && !readOnly && (key === "z" || key === "y")) {
      stop();
      if (key === "y" || event.shiftKey) editor.redo();
      else editor.undo();
      return;
    }
    const id = focusedStep();
    if (id === undefined) return;
    const order = orderOf(value, folded);
    const at = order.indexOf(id);
    const placed = findStep(value, id);
    const inner = placed ? innerLists(placed.module) : [];
    const move = (next: string | undefined) => {
      stop();
      if (next !== undefined) editor.focus(next);
    };
    if (event.altKey && !readOnly && (key === "ArrowUp" || key === "ArrowDown")) {
      stop();
      editor.shift(id, key === "ArrowUp" ? -1 : 1);
    } else if (key === "ArrowDown") move(order[at + 1]);
    else if (key === "ArrowUp") move(order[at - 1]);
    else if (key === "Home") move(order[0]);
    else if (key === "End") move(order.at(-1));
    else if (key === "ArrowRight" && inner.length > 0) {
      if (folded.has(id)) {
        stop();
        onFold(id, false);
      } else move(inner.find(({ modules }) => modules.length > 0)?.modules[0]?.id);
    } else if (key === "ArrowLeft") {
      if (inner.length > 0 && !folded.has(id)) {
        stop();
        onFold(id, true);
      } else move(placed?.list.owner);
    } else if (readOnly) return;
    else if (key === "Delete" || key === "Backspace") {
      stop();
      editor.remove(id);
    } else if (key === "F2") {
      stop();
      onRename(id);
    } else if (control && key === "d" && placed) {
      stop();
      editor.addAfter(id, [placed.module]);
    }
  };
  const copy = (event: ClipboardEvent<HTMLElement>, removes: boolean) => {
    const id = focusedStep();
    const text = id === undefined ? undefined : stepText(editor.value, id);
    if (id === undefined || text === undefined) return;
    event.preventDefault();
    event.clipboardData.setData("text/plain", text);
    if (removes && !readOnly) editor.remove(id);
  };
  return {
    onKeyDown,
    onCopy: (event: ClipboardEvent<HTMLElement>) => copy(event, false),
    onCut: (event: ClipboardEvent<HTMLElement>) => copy(event, true),
    onPaste: (event: ClipboardEvent<HTMLElement>) => {
      if (readOnly || event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      const read = readSteps(event.clipboardData.getData("text/plain"));
      if (!("modules" in read) || read.modules.length === 0) return;
      event.preventDefault();
      editor.addAfter(focusedStep() ?? editor.current, read.modules);
    },
  };
}
