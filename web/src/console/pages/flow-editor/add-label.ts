import { flowEditorText as text } from "../../messages/flow-editor.ts";
import { describeList } from "./describe-step.ts";
import type { FlowValue } from "./document/flow-document.ts";
import { findStep, modulesOf, type Position } from "./document/lists.ts";

/** Returns the name of the button that adds a step at a position. */
export function addLabel(value: FlowValue, { list, index }: Position): string {
  const next = modulesOf(value, list)[index];
  if (next) return text.addBefore(next.id);
  if (list.owner === undefined) return text.addLast;
  const owner = findStep(value, list.owner)?.module;
  return text.addInside(list.owner, owner ? describeList(owner, list.list) : "");
}
