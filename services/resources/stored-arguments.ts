import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { parseReference, type Reference } from "../../contract/utilities/reference.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { findReferenceLimit, mayStoreExpression, readsAsUser } from "../../core/resources/refer.ts";
import { findReferences } from "../../core/resources/references.ts";
import type { Uses } from "../uses.ts";
import { loadInnerReferences } from "./load-inner-references.ts";

/**
 * Checks arguments that an object stores for its later runs, by the names of their fields. The caller, and the caller's token, must be allowed to read
 * each variable and resource that they refer to, because nothing checks the token when they are read. The expression of `retry` can read all of them.
 * Throws `reference.refused`.
 */
export async function checkStoredArguments(
  { objects }: Uses<"objects">,
  caller: WorkspaceCaller,
  fields: Readonly<Record<string, unknown>>,
  retry?: Readonly<Record<string, unknown>> | null,
): Promise<void> {
  if (retry?.["retry_if"] && !mayStoreExpression(caller.actor))
    throw new SvcError("reference.refused", { field: "retry", reference: "an expression for any variable", limit: "token" });
  for (const [field, value] of Object.entries(fields)) await checkField({ objects }, caller, field, value);
}

async function checkField({ objects }: Uses<"objects">, caller: WorkspaceCaller, field: string, value: unknown): Promise<void> {
  const seen = new Set<string>();
  let waiting = findReferences(value);
  for (let step = 0; waiting.length > 0 && step < limits.referenceSteps && seen.size < limits.references; step += 1) {
    for (const reference of waiting) {
      seen.add(reference);
      requireReadable(caller, field, reference);
    }
    // The rights of the user are checked at each run, also inside resources. The scopes of the token are checked only here.
    if (readsAsUser(caller.actor)) return;
    const inner = await loadInnerReferences({ objects }, caller.workspace, waiting);
    waiting = [...new Set(inner.flat())].filter((reference) => !seen.has(reference));
  }
}

/**
 * Checks the references that a value adds to those of the previous value. Each reader of a resource resolves it with the reader's rights, so it
 * must not name objects that only the reader may read, and a token must not use it to read objects that its scopes do not include. Throws
 * `reference.refused`.
 */
export function checkAddedReferences(caller: WorkspaceCaller, field: string, value: unknown, before?: unknown): void {
  const existing = new Set(findReferences(before));
  for (const reference of findReferences(value)) if (!existing.has(reference)) requireReadable(caller, field, reference);
}

function requireReadable({ actor, workspace }: WorkspaceCaller, field: string, reference: string): void {
  const limit = findReferenceLimit(actor, workspace, parseReference(reference) as Reference);
  if (limit) throw new SvcError("reference.refused", { field, reference, limit });
}
