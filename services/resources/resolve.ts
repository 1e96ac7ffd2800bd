import { createHash, type Hash } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { toCanonicalJson } from "../../contract/json/canonical-json.ts";
import { limits } from "../../contract/limits.ts";
import { parseReference, type Reference } from "../../contract/utilities/reference.ts";
import { type Actor, toPermissionedAs } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { countResolvedBytes, findCycle, findReferences, replaceReferences } from "../../core/resources/references.ts";
import { parseResourceValue, resourceObject } from "../../core/resources/resource.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import type { Uses } from "../uses.ts";
import { loadPlainValue } from "../variables/read.ts";

/** The actors who read. `undefined` is a user who no longer exists. A promise is awaited together with the first read. */
type Readers = readonly (Actor | undefined)[] | Promise<readonly (Actor | undefined)[]>;

/** A value with its references replaced, and the secrets that it contains. */
export interface ResolvedValue {
  value: unknown;
  secrets: string[];
  /** The paths of the variables that contain the secrets. */
  secretPaths: string[];
  /** A digest of the stored objects from which the value was built. It changes when one of them is changed or sealed again. */
  from: string;
}

/**
 * Replaces every reference in a value with its object, also in nested resources. Each level takes one read. Every reader must be allowed to read
 * each object; an absent object and a forbidden one give the same error. Throws `reference.unreadable`, `reference.cycle`, `reference.tooLarge`,
 * `reference.tooMany`.
 */
export async function resolveReferences(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  readers: Readers,
  workspace: string,
  value: unknown,
): Promise<ResolvedValue> {
  const loaded = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  const from = createHash("sha256");
  const tooLarge = () => new SvcError("reference.tooLarge", { limitBytes: limits.resolvedBytes });
  let waiting = findReferences(value);
  for (let step = 0; waiting.length > 0; step += 1) {
    if (step === limits.referenceSteps) throw tooLarge();
    if (loaded.size + waiting.length > limits.references) throw new SvcError("reference.tooMany", { limit: limits.references });
    const found = await loadTargets(deps, { readers, workspace }, waiting, { secrets, from });
    for (const [reference, target] of found) loaded.set(reference, target);
    const inner = [...found].flatMap(([reference, target]) => (reference.startsWith("$res:") ? findReferences(target) : []));
    waiting = [...new Set(inner)].filter((reference) => !loaded.has(reference));
  }
  if (loaded.size === 0) return { value, secrets: [], secretPaths: [], from: "" };
  const cycle = findCycle(value, loaded);
  if (cycle !== undefined) throw new SvcError("reference.cycle", { reference: cycle });
  if (countResolvedBytes(value, loaded) > limits.resolvedBytes) throw tooLarge();
  return {
    value: replaceReferences(value, loaded),
    secrets: [...new Set(secrets.values())],
    secretPaths: [...secrets.keys()],
    from: from.digest("base64url"),
  };
}

/** Returns a resource's value with its references replaced. Throws `resource.notFound`, and as `resolveReferences` does. */
export async function resolveResource(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  actor: Actor,
  workspace: string,
  path: string,
): Promise<ResolvedValue> {
  const found = await deps.objects.get(resourceObject.key(workspace, path));
  if (!found) throw new SvcError("resource.notFound", { path });
  const value: unknown = parseResourceValue(resourceObject.parse(found));
  return resolveReferences(deps, [actor], workspace, value);
}

/** Returns a resource's value with its references replaced. The read of secrets has an entry in the audit log. Throws as `resolveResource` does, and `auth.invalid`. */
export async function getInterpolatedResource(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs">,
  reader: SecretReader,
  path: string,
): Promise<unknown> {
  const { value, secrets } = await resolveResource(deps, reader.actor, reader.workspace, path);
  if (secrets.length > 0) await revealSecrets(deps, reader, { secrets, resource: path });
  return value;
}

async function loadTargets(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  { readers, workspace }: { readers: Readers; workspace: string },
  references: string[],
  collected: { secrets: Map<string, string>; from: Hash },
): Promise<Map<string, unknown>> {
  const targets = references.map((text) => ({ text, reference: parseReference(text) as Reference }));
  const places = targets.map(({ reference: { kind, path } }) =>
    kind === "var" ? variableObject.key(workspace, path) : resourceObject.key(workspace, path),
  );
  const [actors, stored] = await Promise.all([readers, deps.objects.batchGet(places, { consistent: true })]);
  const unreadable = (reference: string, actor = actors[0]) =>
    new SvcError("reference.unreadable", { reference, by: actor ? toPermissionedAs(actor) : "the job's user" });
  for (const { text, reference } of targets) {
    for (const actor of actors) if (!mayReadReference(actor, workspace, reference)) throw unreadable(text, actor);
  }
  // Sorted, so that the same objects produce the same digest.
  const read = targets.map(({ text }, index): [string, unknown] => [text, stored[index]?.value]).sort(([a], [b]) => (a < b ? -1 : 1));
  collected.from.update(toCanonicalJson(read));
  const values = await Promise.all(
    targets.map(async ({ text, reference }, index) => {
      const found = stored[index];
      if (!found) throw unreadable(text);
      if (reference.kind === "res") return parseResourceValue(resourceObject.parse(found));
      const variable = variableObject.parse(found);
      const value = await loadPlainValue(deps, workspace, variable);
      if (variable.isSecret) collected.secrets.set(reference.path, value);
      return value;
    }),
  );
  return new Map(targets.map(({ text }, index) => [text, values[index]]));
}

/** Returns whether an actor may read the target of a reference. `undefined` is a user who no longer exists. */
export function mayReadReference(actor: Actor | undefined, workspace: string, { kind, path }: Reference): boolean {
  return actor !== undefined && may(actor, (kind === "var" ? actions.readVariable : actions.readResource).access, { workspace, path });
}
