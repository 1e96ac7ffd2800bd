import { createHash, randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { InputJson, RunnableQuery } from "../../contract/routes/jobs/inputs.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { removeMarkedSecrets } from "../../core/inputs/marked-secrets.ts";
import { type InputOwner, type SavedInput, savedInputArgsObject, savedInputObject } from "../../core/inputs/saved-input.ts";
import { paginate } from "../../core/objects/page.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { parseJson } from "../../core/records/record-format.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import type { Uses } from "../uses.ts";
import { findRunnable, loadSchema, mayRun } from "./runnable.ts";

const isOwn = ({ email }: Pick<SavedInput, "email">, actor: Actor) => email === actor.email;
const toJson = ({ id, name, by, isPublic, createdAtMs }: SavedInput): InputJson => ({
  ...{ id, name, created_by: by, created_at: toIsoTime(createdAtMs), is_public: isPublic },
});

/** Lists the saved inputs of a script or flow that the caller may run: the caller's own and the public ones, newest first. Throws as `findRunnable` does. */
export async function listInputs(
  { objects }: Uses<"objects">,
  caller: ObjectCaller,
  query: RunnableQuery & { page?: number | undefined; per_page?: number | undefined },
): Promise<InputJson[]> {
  const owner = await findRunnable({ objects }, caller, query);
  const visible = (await loadInputs({ objects }, caller.workspace, owner)).filter((one) => one.isPublic || isOwn(one, caller.actor));
  return paginate(
    visible.sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? -1 : 1)),
    query,
  ).map(toJson);
}

const loadInputs = async ({ objects }: Uses<"objects">, workspace: string, owner: InputOwner): Promise<SavedInput[]> =>
  savedInputObject.parseReadable(await objects.list(savedInputObject.partitionKey(workspace, owner)));

/**
 * Saves arguments for the caller, without the values that the schema of the newest version marks as secrets, and returns the id. A request with the name and
 * the arguments of one of the caller's inputs returns that input. Two such requests at the same time may store two equal inputs. Throws as `findRunnable`
 * does, `reference.refused`, `body.tooLarge` and `input.tooMany`.
 */
export async function createInput(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: ObjectCaller,
  query: RunnableQuery,
  { name, args }: { name: string; args: Record<string, unknown> },
): Promise<string> {
  const { actor, workspace } = caller;
  const { kind, path } = await findRunnable(deps, caller, query);
  const kept = removeMarkedSecrets(args, await loadSchema(deps, workspace, { kind, path }));
  // Everyone who uses a public input reads its references with their own rights, so it must not name what only they may read.
  await checkStoredArguments(deps, caller, kept);
  const json = JSON.stringify(kept);
  if (Buffer.byteLength(json) > limits.savedInputBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.savedInputBytes, what: "saved input" });
  const digest = createHash("sha256").update(json).digest("base64url");
  const ownInputs = (await loadInputs(deps, workspace, { kind, path })).filter((one) => isOwn(one, actor));
  const existing = ownInputs.find((one) => one.name === name && one.digest === digest);
  if (existing) return existing.id;
  if (ownInputs.length >= limits.savedInputs) throw new SvcError("input.tooMany", { limit: limits.savedInputs });
  const id = randomUUID();
  const { username: by, email } = actor;
  const input: SavedInput = { id, name, by, email, isPublic: false, createdAtMs: deps.nowMs(), digest };
  const collided = await deps.objects.transactWrite([
    write.put({ ...savedInputObject.key(workspace, { kind, path }, id), value: input, version: randomUUID() }, "absent"),
    write.put({ ...savedInputArgsObject.key(workspace, id), value: { kind, path, json } }, "absent"),
  ]);
  if (collided !== undefined) throw new Error(`The saved input ${id} exists already.`);
  return id;
}

interface FoundInput {
  stored: StoredObject;
  input: SavedInput;
  args: Record<string, unknown>;
}

/** Returns a saved input of a script or flow that the caller may run. Throws `input.notFound`, also for a private input of another user. */
async function findInput({ objects }: Uses<"objects">, caller: ObjectCaller, id: string): Promise<FoundInput> {
  const { actor, workspace } = caller;
  const notFound = () => new SvcError("input.notFound", { id });
  const found = await objects.get(savedInputArgsObject.key(workspace, id));
  if (!found) throw notFound();
  const { kind, path, json } = savedInputArgsObject.parse(found);
  const stored = await objects.get(savedInputObject.key(workspace, { kind, path }, id));
  if (!stored) throw notFound();
  const input = savedInputObject.parse(stored);
  if (!(input.isPublic || isOwn(input, actor)) || !mayRun(caller, { kind, path })) throw notFound();
  return { stored, input, args: parseJson({ parent: found.pk, ref: found.sk, json }) as Record<string, unknown> };
}

/** Returns the arguments of a saved input. Throws `input.notFound`. */
export async function getInputArgs(deps: Uses<"objects">, caller: ObjectCaller, id: string): Promise<Record<string, unknown>> {
  return (await findInput(deps, caller, id)).args;
}

/** Renames a saved input of the caller, and shows it to others or hides it. Throws `input.notFound` and `write.collided`. */
export async function updateInput(
  deps: Uses<"objects">,
  caller: ObjectCaller,
  { id, name, isPublic }: Pick<SavedInput, "id" | "name" | "isPublic">,
): Promise<void> {
  const { stored, input } = await findInput(deps, caller, id);
  if (!isOwn(input, caller.actor)) throw new SvcError("input.notFound", { id });
  const changed = { ...stored, value: { ...input, name, isPublic }, version: randomUUID() };
  if (!(await deps.objects.put(changed, unchangedSince(stored)))) throw new SvcError("write.collided", {});
}

/** Deletes a saved input of the caller or, for an admin of the workspace, a public one. Throws `input.notFound` and `write.collided`. */
export async function deleteInput(deps: Uses<"objects">, caller: ObjectCaller, id: string): Promise<void> {
  const { actor, workspace, action } = caller;
  const { stored, input } = await findInput(deps, caller, id);
  const isAdmin = may(actor, { ...action.access, need: "admin" }, { workspace });
  if (!isOwn(input, actor) && !isAdmin) throw new SvcError("input.notFound", { id });
  const collided = await deps.objects.transactWrite([
    write.remove(stored, unchangedSince(stored)),
    write.remove(savedInputArgsObject.key(workspace, id), "present"),
  ]);
  if (collided !== undefined) throw new SvcError("write.collided", {});
}
