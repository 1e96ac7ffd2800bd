import type { Reference } from "../../contract/utilities/reference.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Uses } from "../uses.ts";
import { findReaders } from "./find-readers.ts";
import { loadReferenceScope } from "./reference-scope.ts";
import { mayReadReference } from "./resolve.ts";

/**
 * Returns a predicate for the references in a value of an earlier run that count in a run that `actor` starts with them: those that this caller's
 * token may send, and that the people of the earlier run may read. Otherwise a member could name a variable that only the person who runs the job
 * again may read.
 */
export async function loadReferenceFilter(
  deps: Uses<"objects">,
  actor: Actor,
  origin: Job,
  value: unknown,
): Promise<(reference: Reference) => boolean> {
  const isOwn = [origin.email, origin.starter ?? origin.email].every((email) => email === actor.email);
  const readers = isOwn ? [] : await findReaders(deps, origin);
  const isInScope = await loadReferenceScope(deps, { actor, workspace: origin.workspace }, value);
  return (reference) => isInScope(reference) && readers.every((reader) => mayReadReference(reader, origin.workspace, reference));
}
