import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { FlowValue } from "../../contract/flows/flow-value.ts";
import { limits } from "../../contract/limits.ts";
import type { MentionedKind, MentionJson } from "../../contract/routes/console/mentions.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { flowListingObject, type StoredFlow } from "../../core/flows/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { parseReadable } from "../../core/records/record-format.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scheduleObject } from "../../core/schedules/schedule.ts";
import { type StoredVersion, scriptListingObject } from "../../core/scripts/version.ts";
import {
  findInHandler,
  findInResource,
  findInSchedule,
  findInStorage,
  findInTrigger,
} from "../../core/search/mentions/find-in-settings.ts";
import type { MentionTarget } from "../../core/search/mentions/mention-target.ts";
import { createSignatureTest } from "../../core/search/signature.ts";
import { errorHandlerSetting, fileStorageSetting, successHandlerSetting } from "../../core/settings/workspace.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { permit } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";
import { continueIndex } from "./continue-index.ts";
import { createReadFilter, type IndexedSource, listSources, loadBodies, loadIndex, toNamedKind } from "./read-index.ts";

/** `isComplete`: false if the index is being built, or if there are more objects or places than one request reads or returns. */
interface Mentions {
  items: MentionJson[];
  isComplete: boolean;
}

/** The check of the right to read an object of a kind that others mention, and its item. */
const mentionedKinds = {
  script: { action: actions.readScript, key: scriptListingObject.key },
  flow: { action: actions.readFlow, key: flowListingObject.key },
  resource: { action: actions.readResource, key: resourceObject.key },
  variable: { action: actions.readVariable, key: variableObject.key },
} as const;

/**
 * Lists the places that mention an object, of those that the caller may read: the sources and flows that the index of the search does not exclude, and
 * all schedules, triggers, resources and, for admins, settings. Each place is found in the object itself, so none is wrong. Throws `auth.forbidden`
 * and `object.notFound`.
 */
export async function listMentions(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: WorkspaceCaller,
  { kind, path }: { kind: MentionedKind; path: string },
): Promise<Mentions> {
  const { actor, workspace } = caller;
  const { action, key } = mentionedKinds[kind];
  const notFound = () => new SvcError("object.notFound", { kind, path });
  permit(actor, action, { workspace, path }, notFound);
  const [stored, script] = await deps.objects.batchGet([key(workspace, path), scriptListingObject.key(workspace, path)], {
    consistent: true,
  });
  if (!stored) throw notFound();
  const target: MentionTarget = { kind, path, hasScript: script !== undefined };
  const parts = await Promise.all([
    findInVersions(deps, caller, target),
    findInListed(deps, caller, target, "schedule"),
    ...triggerKinds.map((triggerKind) => findInListed(deps, caller, target, `${triggerKind}_trigger`)),
    // Only references are in resources.
    ...(kind === "script" || kind === "flow" ? [] : [findInListed(deps, caller, target, "resource")]),
    findInWorkspaceSettings(deps, caller, target),
  ]);
  const items = parts.flatMap((part) => part.items).filter((mention) => mention.kind !== kind || mention.path !== path);
  items.sort((a, b) => compare(a.kind, b.kind) || compare(a.path, b.path));
  return { items: items.slice(0, limits.mentions), isComplete: parts.every((part) => part.isComplete) && items.length <= limits.mentions };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const toMentions = (kind: string, path: string, places: readonly string[]): MentionJson[] =>
  places.map((where) => ({ ...(toNamedKind(kind) as Pick<MentionJson, "kind">), path, where }));

/** Reads the sources and flows whose signatures may contain the path, or an import of the script. */
async function findInVersions(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: WorkspaceCaller,
  target: MentionTarget,
): Promise<Mentions> {
  const { workspace } = caller;
  // Two parts contain all objects of a small workspace.
  const isIndexed = (await continueIndex(deps, workspace)) || (await continueIndex(deps, workspace));
  const sources = listSources(await loadIndex(deps.objects, workspace, ["script", "flow"]));
  const [namesPath, candidates] = [createSignatureTest(target.path), listCandidates(target, sources.filter(createReadFilter(caller)))];
  // Those that contain the path are more likely than those that may import the script by a relative path.
  candidates.sort((a, b) => Number(namesPath(b.signature)) - Number(namesPath(a.signature)) || compare(a.path, b.path));
  const bodies = await loadBodies(deps, workspace, candidates.slice(0, limits.searchedSources));
  // The parsers of languages, which other calls of the function do not need.
  const [{ findInSource }, { findInFlow }] = await Promise.all([
    import("../../core/search/mentions/find-in-source.ts"),
    import("../../core/search/mentions/find-in-flow.ts"),
  ]);
  const items = bodies.flatMap(({ source: { kind, path }, body }) => {
    if (kind === "flow") return toMentions(kind, path, findInFlow(target, { path, value: (body as StoredFlow).sent.value as FlowValue }));
    const { content, language } = (body as StoredVersion).sent;
    return toMentions(kind, path, findInSource(target, { path, content, language }));
  });
  return { items, isComplete: isIndexed && candidates.length <= limits.searchedSources };
}

function listCandidates({ kind, path }: MentionTarget, sources: readonly IndexedSource[]): IndexedSource[] {
  const tests = [createSignatureTest(path)];
  if (kind === "script") {
    // A relative import contains only the name of the script. A short one is in most sources.
    const hasName = createSignatureTest(path.slice(path.lastIndexOf("/") + 1));
    const imports = ["import", "require"].map(createSignatureTest);
    tests.push((signature) => hasName(signature) && imports.some((test) => test(signature)));
  }
  return sources.filter(({ signature }) => tests.some((test) => test(signature)));
}

/** Returns the path of a stored object, and where it mentions the target. Throws `UnreadableRecordError`. */
type Finder = (target: MentionTarget, stored: StoredObject) => { path: string; places: string[] };
const findInTriggerItem: Finder = (target, stored) => {
  const trigger = triggerObject.parse(stored);
  return { path: trigger.path, places: findInTrigger(target, trigger) };
};
const finders: Readonly<Record<string, { partitionKey: (workspace: string) => string; find: Finder }>> = {
  schedule: {
    partitionKey: scheduleObject.partitionKey,
    find: (target, stored) => {
      const schedule = scheduleObject.parse(stored);
      return { path: schedule.path, places: findInSchedule(target, schedule) };
    },
  },
  resource: {
    partitionKey: resourceObject.partitionKey,
    find: (target, stored) => {
      const resource = resourceObject.parse(stored);
      return { path: resource.path, places: findInResource(target, resource) };
    },
  },
  ...Object.fromEntries(
    triggerKinds.map((kind) => [
      `${kind}_trigger`,
      { partitionKey: (workspace: string) => triggerObject.partitionKey(workspace, kind), find: findInTriggerItem },
    ]),
  ),
};

/** Reads the objects of a kind that has no index of its values: schedules, triggers and resources. */
async function findInListed({ objects }: Uses<"objects">, caller: WorkspaceCaller, target: MentionTarget, kind: string): Promise<Mentions> {
  const finder = finders[kind];
  if (!finder) throw new Error(`No objects of the kind ${kind} are read.`);
  const isReadable = createReadFilter(caller);
  const items: MentionJson[] = [];
  let before: string | undefined;
  for (let page = 0; page < limits.mentionPages; page += 1) {
    const read = await objects.listPage(finder.partitionKey(caller.workspace), { before, limit: limits.mentionPageItems });
    const records = read.objects.map((stored) => ({ parent: stored.pk, ref: stored.sk, stored }));
    for (const [, { path, places }] of parseReadable(records, ({ stored }) => finder.find(target, stored))) {
      if (isReadable({ kind, path })) items.push(...toMentions(kind, path, places));
    }
    before = read.before;
    if (before === undefined) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

/** Only admins read the settings of a workspace. */
async function findInWorkspaceSettings({ objects }: Uses<"objects">, caller: WorkspaceCaller, target: MentionTarget): Promise<Mentions> {
  const { actor, workspace } = caller;
  if (!may(actor, { domain: "workspaces", verb: "read", need: "admin", target: "none" }, { workspace })) {
    return { items: [], isComplete: true };
  }
  const handlers = [errorHandlerSetting, successHandlerSetting];
  const keys = [fileStorageSetting, ...handlers].map((setting) => setting.key(workspace));
  const [storage, ...stored] = await objects.batchGet(keys, { consistent: true });
  const toSettingMentions = (name: string, places: readonly string[]) =>
    places.map((where): MentionJson => ({ kind: "setting", path: name, where }));
  const items = [
    ...(storage ? toSettingMentions(fileStorageSetting.name, findInStorage(target, fileStorageSetting.parse(storage))) : []),
    ...handlers.flatMap((setting, index) => {
      const found = stored[index];
      return found ? toSettingMentions(setting.name, findInHandler(target, setting.parse(found))) : [];
    }),
  ];
  return { items, isComplete: true };
}
