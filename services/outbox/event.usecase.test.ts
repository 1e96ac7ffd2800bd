import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workspaceEventTypes } from "../../contract/events.ts";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptRoutes } from "../../contract/routes/stored/scripts.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { WORKSPACE_ENDPOINT } from "../../core/events/endpoint.ts";
import { keys } from "../../core/objects/keys.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addEndpoint, listEvents } from "../../test/support/use-cases/room-events.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { deleteFlow, setFlowArchived } from "../flows/definitions/archive.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { createResource, deleteResource, updateResource } from "../resources/save.ts";
import { createResourceType, deleteResourceType, updateResourceType } from "../resources/types.ts";
import { archiveScript, deleteScript, deleteScriptVersion } from "../scripts/archive.ts";
import { muteScriptErrorHandler } from "../scripts/change-version.ts";
import { createScript } from "../scripts/create.ts";
import { createVariable, deleteVariable, updateVariable } from "../variables/save.ts";
import { changeAcl } from "../workspaces/acls.ts";
import { addFolderOwner, createFolder, deleteFolder, updateFolder } from "../workspaces/folders.ts";

/** A text in every value, source and description. No event may contain it. */
const HIDDEN = "hidden-text";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
  await makeFolder("t");
  await makeFolder("new");
});

let name: string;
let path: string;
let renamed: string;
beforeEach(() => {
  name = `n${randomUUID().slice(0, 8)}`;
  path = `f/t/${name}`;
  renamed = `f/new/${name}`;
});

const caller = () => ({ actor: anAdmin, workspace: room.workspace });
const makeFolder = (folder: string, fields: object = {}) =>
  createFolder(room.deps, anAdmin, room.workspace, { name: folder, ...fields } as Parameters<typeof createFolder>[3]);
const script = (fields: object = {}) => {
  room.clock.nowMs += 1;
  const sent = {
    path,
    language: "bun",
    content: `export const main = () => "${HIDDEN}";`,
    summary: HIDDEN,
    description: HIDDEN,
    ...fields,
  };
  return createScript(room.deps, caller(), newScriptSchema.parse(sent));
};
const flow = (fields: object = {}, at?: string) => {
  room.clock.nowMs += 1;
  const value = { modules: [{ id: "a", value: { type: "rawscript", language: "bun", content: HIDDEN, input_transforms: {} } }] };
  return saveFlow(room.deps, caller(), newFlowSchema.parse({ path, summary: HIDDEN, value, ...fields }), at);
};
const flowVersion = async (at = path) => Number((await room.deps.objects.get(keys.flowHead(room.workspace, at)))?.version);
const variable = (fields: object = {}) =>
  createVariable(room.deps, caller(), newVariableSchema.parse({ path, value: HIDDEN, is_secret: true, description: HIDDEN, ...fields }));
const changeVariable = (change: object) => updateVariable(room.deps, { ...caller(), path }, change);
const resource = (fields: object = {}, options = {}) =>
  createResource(
    room.deps,
    caller(),
    newResourceSchema.parse({ path, value: { key: HIDDEN }, resource_type: "any", description: HIDDEN, ...fields }),
    options,
  );
const changeResource = (change: object) => updateResource(room.deps, { ...caller(), path }, change);
const resourceType = () =>
  createResourceType(room.deps, anAdmin, room.workspace, newResourceTypeSchema.parse({ name, description: HIDDEN }));
const share = (kind: string, at = path) =>
  changeAcl(room.deps, anAdmin, { workspace: room.workspace, kind, path: at }, { owner: "u/bob", right: true });

interface Case {
  title: string;
  /** Creates the objects that the change needs, before there is an endpoint. */
  prepare?: () => Promise<unknown>;
  /** Makes the change, and returns the fields of its event that only it knows. */
  change: () => Promise<unknown>;
  type: string;
  /** Of several calls at once, one makes the change; the others are refused, or succeed without a change. Default: for all types but updates. */
  once?: boolean;
  data: (prepare: unknown, changed: unknown) => unknown | Promise<unknown>;
}
/** The version that the change of a case refers to. */
let parentHash = "";
const bun = { language: "bun", kind: "script" };

const cases: Case[] = [
  { title: "a new script", change: () => script(), type: "CreateScript", data: (_, hash) => ({ path, hash, ...bun }) },
  {
    title: "a new script of another kind with a deployment message",
    change: () => script({ language: "python3", content: "", kind: "approval", deployment_message: "First" }),
    type: "CreateScript",
    data: (_, hash) => ({ path, hash, language: "python3", kind: "approval", deployment_message: "First" }),
  },
  {
    title: "a new version of a script",
    prepare: () => script(),
    change: () => script({ auto_parent: true, deployment_message: "Second" }),
    once: true,
    type: "UpdateScript",
    data: (first, hash) => ({ path, hash, parent_hash: first, ...bun, deployment_message: "Second" }),
  },
  {
    title: "a renamed script",
    prepare: async () => (parentHash = await script()),
    change: async () => script({ path: renamed, parent_hash: parentHash }),
    once: true,
    type: "UpdateScript",
    data: (first, hash) => ({ path: renamed, old_path: path, hash, parent_hash: first, ...bun }),
  },
  {
    title: "a script whose failures are muted",
    prepare: () => script(),
    change: () => muteScriptErrorHandler(room.deps, caller(), { path, muted: true }),
    type: "UpdateScript",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "other permissions of a script",
    prepare: () => script(),
    change: () => share("script"),
    type: "UpdateScript",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "an archived script",
    prepare: async () => [await script(), await script({ auto_parent: true })],
    change: () => archiveScript(room.deps, anAdmin, room.workspace, path),
    type: "DeleteScript",
    data: (hashes) => ({ path, hash: (hashes as string[])[1], parent_hash: (hashes as string[])[0], ...bun }),
  },
  {
    title: "a deleted version of a script",
    prepare: async () => (parentHash = await script()),
    change: () =>
      deleteScriptVersion(room.deps, { actor: anAdmin, action: scriptRoutes.deleteScriptByHash, workspace: room.workspace }, parentHash),
    type: "DeleteScript",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "a script deleted with its path",
    prepare: () => script(),
    change: () => deleteScript(room.deps, anAdmin, room.workspace, path),
    type: "DeleteScriptPath",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "the remaining versions of a renamed script",
    prepare: async () => script({ path: renamed, parent_hash: await script() }),
    change: () => deleteScript(room.deps, anAdmin, room.workspace, path),
    type: "DeleteScriptPath",
    data: () => ({ path }),
  },
  {
    title: "a new flow",
    change: () => flow({ deployment_message: "First" }),
    type: "CreateFlow",
    data: async () => ({ path, version: await flowVersion(), deployment_message: "First" }),
  },
  {
    title: "a new version of a flow",
    prepare: () => flow(),
    change: () => flow({}, path),
    type: "UpdateFlow",
    data: async () => ({ path, version: await flowVersion() }),
  },
  {
    title: "a renamed flow",
    prepare: () => flow(),
    change: () => flow({ path: renamed }, path),
    once: true,
    type: "UpdateFlow",
    data: async () => ({ path: renamed, old_path: path, version: await flowVersion(renamed) }),
  },
  {
    title: "other permissions of a flow",
    prepare: () => flow(),
    change: () => share("flow"),
    type: "UpdateFlow",
    data: async () => ({ path, version: await flowVersion() }),
  },
  {
    title: "an archived flow",
    prepare: () => flow(),
    change: () => setFlowArchived(room.deps, caller(), path, true),
    type: "ArchiveFlow",
    data: async () => ({ path, version: await flowVersion() }),
  },
  {
    title: "a restored flow",
    prepare: async () => {
      await flow();
      await setFlowArchived(room.deps, caller(), path, true);
    },
    change: () => setFlowArchived(room.deps, caller(), path, false),
    once: true,
    type: "UpdateFlow",
    data: async () => ({ path, version: await flowVersion() }),
  },
  {
    title: "a deleted flow",
    prepare: async () => {
      await flow();
      return flowVersion();
    },
    change: () => deleteFlow(room.deps, anAdmin, room.workspace, path),
    type: "DeleteFlow",
    data: (version) => ({ path, version }),
  },
  { title: "a new resource", change: () => resource(), type: "CreateResource", data: () => ({ path, resource_type: "any" }) },
  {
    title: "a resource that a creation replaces",
    prepare: () => resource(),
    change: () => resource({ resource_type: "state" }, { updateIfExists: true }),
    type: "UpdateResource",
    data: () => ({ path, resource_type: "state" }),
  },
  {
    title: "another value of a resource",
    prepare: () => resource(),
    change: () => changeResource({ value: { other: HIDDEN } }),
    type: "UpdateResource",
    data: () => ({ path, resource_type: "any" }),
  },
  {
    title: "a renamed resource",
    prepare: () => resource(),
    change: () => changeResource({ path: renamed }),
    once: true,
    type: "UpdateResource",
    data: () => ({ path: renamed, old_path: path, resource_type: "any" }),
  },
  {
    title: "other permissions of a resource",
    prepare: () => resource(),
    change: () => share("resource"),
    type: "UpdateResource",
    data: () => ({ path, resource_type: "any" }),
  },
  {
    title: "a deleted resource",
    prepare: () => resource(),
    change: () => deleteResource(room.deps, anAdmin, room.workspace, path),
    type: "DeleteResource",
    data: () => ({ path, resource_type: "any" }),
  },
  { title: "a new resource type", change: resourceType, type: "CreateResourceType", data: () => ({ name }) },
  {
    title: "a changed resource type",
    prepare: resourceType,
    change: () => updateResourceType(room.deps, caller(), name, { description: HIDDEN }),
    type: "UpdateResourceType",
    data: () => ({ name }),
  },
  {
    title: "a deleted resource type",
    prepare: resourceType,
    change: () => deleteResourceType(room.deps, anAdmin, room.workspace, name),
    type: "DeleteResourceType",
    data: () => ({ name }),
  },
  { title: "a new secret", change: () => variable(), type: "CreateVariable", data: () => ({ path, is_secret: true }) },
  {
    title: "a new variable",
    change: () => variable({ is_secret: false }),
    type: "CreateVariable",
    data: () => ({ path, is_secret: false }),
  },
  {
    title: "another value of a variable",
    prepare: () => variable({ is_secret: false }),
    change: () => changeVariable({ value: `other ${HIDDEN}` }),
    type: "UpdateVariable",
    data: () => ({ path, is_secret: false }),
  },
  {
    title: "a variable that becomes a secret at another path",
    prepare: () => variable({ is_secret: false }),
    change: () => changeVariable({ path: renamed, is_secret: true }),
    once: true,
    type: "UpdateVariable",
    data: () => ({ path: renamed, old_path: path, is_secret: true }),
  },
  {
    title: "other permissions of a variable",
    prepare: () => variable(),
    change: () => share("variable"),
    type: "UpdateVariable",
    data: () => ({ path, is_secret: true }),
  },
  {
    title: "a deleted variable",
    prepare: () => variable(),
    change: () => deleteVariable(room.deps, anAdmin, room.workspace, path),
    type: "DeleteVariable",
    data: () => ({ path, is_secret: true }),
  },
  { title: "a new folder", change: () => makeFolder(name, { summary: HIDDEN }), type: "CreateFolder", data: () => ({ name }) },
  {
    title: "a changed folder",
    prepare: () => makeFolder(name),
    change: () => updateFolder(room.deps, caller(), name, { summary: HIDDEN }),
    type: "UpdateFolder",
    data: () => ({ name }),
  },
  {
    title: "another owner of a folder",
    prepare: () => makeFolder(name),
    change: () => addFolderOwner(room.deps, caller(), name, "u/bob"),
    type: "UpdateFolder",
    data: () => ({ name }),
  },
  {
    title: "other permissions of a folder",
    prepare: () => makeFolder(name),
    change: () => share("folder", name),
    type: "UpdateFolder",
    data: () => ({ name }),
  },
  {
    title: "a deleted folder",
    prepare: () => makeFolder(name),
    change: () => deleteFolder(room.deps, anAdmin, room.workspace, name),
    type: "DeleteFolder",
    data: () => ({ name }),
  },
];
describe("the event of a change", () => {
  it("every type of a workspace has a case, except those of apps and tokens", () => {
    const others = workspaceEventTypes.filter((type) => !/App$|^Token/.test(type));
    expect([...new Set(cases.map(({ type }) => type))].sort()).toEqual(others.sort());
  });

  it.each(cases)("$title is one $type with the data of the change and no value", async ({ prepare, change, type, data }) => {
    const prepared = await prepare?.();
    await addEndpoint(room);
    const known = new Set((await listEvents(room)).map(({ id }) => id));
    const changed = await change();
    const events = (await listEvents(room)).filter(({ id }) => !known.has(id));
    expect(events).toEqual([
      {
        id: expect.any(String),
        type,
        workspace: room.workspace,
        by: "ann",
        atMs: room.clock.nowMs,
        data: await data(prepared, changed),
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(HIDDEN);
  });

  it.each(cases)("$title writes no event in a workspace without an endpoint", async ({ prepare, change }) => {
    await prepare?.();
    await room.deps.objects.deleteItem(keys.endpoint(room.workspace, WORKSPACE_ENDPOINT));
    const count = (await listEvents(room)).length;
    await change();
    expect(await listEvents(room)).toHaveLength(count);
  });

  it.each(cases)(
    "$title made three times at once writes one event for each change that was made",
    async ({ prepare, change, type, once = !type.startsWith("Update") }) => {
      await prepare?.();
      await addEndpoint(room);
      const known = new Set((await listEvents(room)).map(({ id }) => id));
      const outcomes = await Promise.allSettled([change(), change(), change()]);
      const made = outcomes.filter(({ status }) => status === "fulfilled").length;
      const events = (await listEvents(room)).filter(({ id }) => !known.has(id));
      expect(events.map((event) => event.type)).toEqual(events.map(() => type));
      expect([events.length, made > 0]).toEqual([once ? 1 : made, true]);
    },
  );

  it("a refused change, and one without an effect, write no event", async () => {
    await script();
    await flow();
    await variable({ path: renamed });
    await setFlowArchived(room.deps, caller(), path, true);
    await addEndpoint(room);
    const before = await listEvents(room);
    const outcomes = await Promise.allSettled([
      script(),
      script({ path: "f/nowhere/a" }),
      createScript(room.deps, caller(), newScriptSchema.parse({ path, language: "bun", content: "x".repeat(2 ** 20 + 1), summary: "" })),
      deleteScript(room.deps, anAdmin, room.workspace, renamed),
      archiveScript(room.deps, anAdmin, room.workspace, renamed),
      variable({ path: renamed }),
      updateVariable(room.deps, { ...caller(), path: renamed }, { path: "f/nowhere/a" }),
      deleteVariable(room.deps, anAdmin, room.workspace, path),
      deleteResource(room.deps, anAdmin, room.workspace, path),
      deleteResourceType(room.deps, anAdmin, room.workspace, name),
      makeFolder("t"),
      deleteFolder(room.deps, anAdmin, room.workspace, name),
      share("variable"),
      share("folder", name),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
    await setFlowArchived(room.deps, caller(), path, true);
    await deleteFlow(room.deps, anAdmin, room.workspace, renamed);
    const same = { path, language: "bun", content: `export const main = () => "${HIDDEN}";`, summary: HIDDEN, description: HIDDEN };
    await createScript(room.deps, caller(), newScriptSchema.parse({ ...same, auto_parent: true }), { skipIfNoop: true });
    expect(await listEvents(room)).toEqual(before);
  });
});
