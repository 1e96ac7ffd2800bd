import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { DraftJson, DraftKind } from "../../contract/routes/stored/drafts.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import type { Draft } from "../../core/drafts/draft.ts";
import { draftObject } from "../../core/drafts/draft.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { parseJson } from "../../core/records/record-format.ts";
import type { Uses } from "../uses.ts";

export interface DraftPlace {
  kind: DraftKind;
  path: string;
}

/** The time after which a draft without changes is removed. */
const KEPT_MS = 180 * 24 * 3600 * 1000;

const keyOf = ({ actor, workspace }: WorkspaceCaller, { kind, path }: DraftPlace) =>
  draftObject.key(workspace, personKey(actor.email), kind, path);
const toJson = ({ kind, path, savedAtMs }: Draft): DraftJson => ({ kind, path, created_at: toIsoTime(savedAtMs) });

/** Lists the drafts of the caller, by kind and path. */
export async function listDrafts({ objects }: Uses<"objects">, { actor, workspace }: WorkspaceCaller): Promise<DraftJson[]> {
  const { pk, sk } = draftObject.key(workspace, personKey(actor.email), "", "");
  return draftObject.parseReadable(await objects.list(pk, { beginsWith: sk })).map(toJson);
}

/** Returns the caller's draft with its value. Throws `draft.notFound`. */
export async function getDraft(
  { objects }: Uses<"objects">,
  caller: WorkspaceCaller,
  location: DraftPlace,
): Promise<DraftJson & { value: unknown }> {
  const found = await objects.get(keyOf(caller, location));
  if (!found) throw new SvcError("draft.notFound", { path: location.path });
  const draft = draftObject.parse(found);
  return { ...toJson(draft), value: parseJson({ parent: "drafts", ref: location.path, json: draft.json }) };
}

/**
 * Stores the caller's draft and returns its time, or deletes it if there is no value. `syncedAtMs`: the time of the draft that the caller has
 * read. Throws `draft.changedMeanwhile` if it has changed since, unless `force` is set, `draft.tooMany` and `body.tooLarge`.
 */
export async function updateDraft(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  caller: WorkspaceCaller,
  { kind, path, value, syncedAtMs, force }: DraftPlace & { value: unknown; syncedAtMs: number | undefined; force: boolean },
): Promise<{ created_at: string | null }> {
  const key = keyOf(caller, { kind, path });
  const changed = () => new SvcError("draft.changedMeanwhile", { path });
  const found = await objects.get(key);
  const before = found && draftObject.parse(found);
  if (!force && before && syncedAtMs !== undefined && before.savedAtMs > syncedAtMs) throw changed();
  if (value === undefined || value === null) {
    if (found && (await objects.transactWrite([write.remove(key, unchangedSince(found))])) !== undefined) throw changed();
    return { created_at: null };
  }
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > limits.draftBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.draftBytes, what: "value" });
  if (!found && (await listDrafts({ objects }, caller)).length >= limits.drafts)
    throw new SvcError("draft.tooMany", { limit: limits.drafts });
  const savedAtMs = nowMs();
  const draft: Draft = { kind, path, json, savedAtMs };
  const object = { ...key, value: draft, version: randomUUID(), expiresAtS: Math.ceil((savedAtMs + KEPT_MS) / 1000) };
  // A draft that arrives twice, or from two windows of a user, is stored once: the later request retries.
  if (!(await objects.put(object, found ? unchangedSince(found) : "absent"))) throw changed();
  return { created_at: toIsoTime(savedAtMs) };
}
