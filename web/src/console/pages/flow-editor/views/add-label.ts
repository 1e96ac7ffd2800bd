import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import type { FlowValue } from "../document/flow-document.ts";
import { findStep, modulesOf, type Position } from "../document/lists.ts";
import { describeList } from "./describe-step.ts";

/** Returns the name of the button that adds a step at a position. */
export function addLabel(value: FlowValue, { list, index }: Position): string {
  const next = modulesOf(value, list)[index];
  if (next) return text.addBefore(next.id);
  if (list.owner === undefined) {
    const last = modulesOf(value, list)[index - 1];
    return last ? text.addAfter(last.id) : text.addFirst;
  }
  const owner = findStep(value, list.owner)?.module;
  return text.addInside(list.owner, owner ? describeList(owner, list.list) : "");
}
