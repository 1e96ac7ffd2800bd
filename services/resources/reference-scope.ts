import { limits } from "../../contract/limits.ts";
import { parseReference, type Reference } from "../../contract/utilities/reference.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { mayRefer, readsAsUser } from "../../core/resources/refer.ts";
import { findReferences } from "../../core/resources/references.ts";
import type { Uses } from "../uses.ts";
import { loadInnerReferences } from "./load-inner-references.ts";

const mayReferTo =
  ({ actor }: WorkspaceCaller) =>
  (text: string) =>
    mayRefer(actor, parseReference(text) as Reference);

/**
 * Returns which references of a value the token of a caller may send: its scopes must include their targets, also those inside resources. A reference that
 * was not followed, because there are more than a run may resolve, is none of them.
 */
export async function loadReferenceScope(
  { objects }: Uses<"objects">,
  caller: WorkspaceCaller,
  value: unknown,
): Promise<(reference: Reference) => boolean> {
  if (readsAsUser(caller.actor)) return () => true;
  const mayFollow = mayReferTo(caller);
  const inside = new Map<string, string[]>();
  for (let waiting = findReferences(value).filter(mayFollow); waiting.length > 0 && inside.size < limits.references; ) {
    const next = waiting.slice(0, limits.references - inside.size);
    const found = await loadInnerReferences({ objects }, caller.workspace, next);
    next.forEach((text, index) => {
      inside.set(text, found[index] ?? []);
    });
    waiting = [...new Set(found.flat())].filter((text) => !inside.has(text) && mayFollow(text));
  }
  const answers = new Map<string, boolean>();
  return ({ kind, path }) => {
    const text = `$${kind}:${path}`;
    const isAllowed = answers.get(text) ?? reach(inside, text).every((each) => inside.has(each));
    answers.set(text, isAllowed);
    return isAllowed;
  };
}

/** Returns a reference with all that are reached by it. */
function reach(inside: ReadonlyMap<string, readonly string[]>, start: string): string[] {
  const reached = new Set([start]);
  for (const text of reached) for (const inner of inside.get(text) ?? []) reached.add(inner);
  return [...reached];
}
