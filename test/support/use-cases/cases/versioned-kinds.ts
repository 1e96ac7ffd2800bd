import { randomUUID } from "node:crypto";
import { newFlowSchema } from "../../../../contract/routes/flows/flows.ts";
import { scheduleChangeSchema } from "../../../../contract/routes/schedules/schedule.ts";
import { appChangeSchema, newAppSchema } from "../../../../contract/routes/stored/apps.ts";
import { newResourceSchema } from "../../../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../../../contract/routes/stored/variables.ts";
import { changedTriggerSchemas, type NewTrigger } from "../../../../contract/routes/triggers/trigger-kinds.ts";
import { folderChangeSchema } from "../../../../contract/routes/workspaces/workspace-schemas.ts";
import { appObject } from "../../../../core/apps/app.ts";
import { flowHeadObject } from "../../../../core/flows/version.ts";
import { type ExpectedVersions, getVersion } from "../../../../core/objects/version.ts";
import type { ObjectKey } from "../../../../core/objects/write.ts";
import type { Person } from "../../../../core/people/actor.ts";
import { resourceObject } from "../../../../core/resources/resource.ts";
import { resourceTypeObject } from "../../../../core/resources/type.ts";
import { scheduleObject } from "../../../../core/schedules/schedule.ts";
import { scriptHeadObject } from "../../../../core/scripts/version.ts";
import { triggerObject } from "../../../../core/triggers/trigger.ts";
import { variableObject } from "../../../../core/variables/variable.ts";
import { folderObject } from "../../../../core/workspaces/workspace.ts";
import { deleteApp } from "../../../../services/apps/delete.ts";
import { createApp, updateApp } from "../../../../services/apps/save.ts";
import { deleteFlow } from "../../../../services/flows/definitions/archive.ts";
import { saveFlow } from "../../../../services/flows/definitions/save.ts";
import { createFolder, deleteFolder, updateFolder } from "../../../../services/folders/folders.ts";
import { createResource, deleteResource, updateResource } from "../../../../services/resources/save.ts";
import { createResourceType, deleteResourceType, updateResourceType } from "../../../../services/resources/types.ts";
import { deleteSchedule, updateSchedule } from "../../../../services/schedules/save.ts";
import { deleteScript } from "../../../../services/scripts/archive.ts";
import { createScript, updateScript } from "../../../../services/scripts/create.ts";
import { deleteTrigger, updateTrigger } from "../../../../services/triggers/save.ts";
import { createVariable, deleteVariable, updateVariable } from "../../../../services/variables/save.ts";
import { anAdmin } from "../world-people.ts";
import { addSchedule, addScriptAt, aScheduleRequest } from "../world-schedules.ts";
import { newTriggerWorld, type TriggerWorld } from "../world-triggers.ts";

/** The author of a change, and the versions that the author has read. */
export interface Writer {
  actor: Person;
  expected?: ExpectedVersions;
}

/** The writes of the objects of a kind. */
interface VersionedKind {
  newPath?: () => string;
  key: (path: string) => ObjectKey;
  create: (path: string) => Promise<unknown>;
  change: (path: string, text: string, writer: Writer) => Promise<unknown>;
  remove: (path: string, writer: Writer) => Promise<unknown>;
}

let world: TriggerWorld;

/** Creates the world of these kinds: a workspace with the folder `f/t` and a script. */
export async function newVersionedWorld(): Promise<TriggerWorld> {
  world = await newTriggerWorld();
  await createFolder(world.deps, anAdmin, world.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
  await addScriptAt(world, "f/ops/hello");
  return world;
}

/** Returns the stored version of an object, or `undefined` if it does not exist. */
export async function findVersion(kind: VersionedKind, path: string): Promise<string | undefined> {
  const found = await world.deps.objects.get(kind.key(path));
  return found && getVersion(found);
}

const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const target = (path: string, writer: Writer) => ({ ...writer, workspace: world.workspace, path });
const aName = () => `n${randomUUID().slice(0, 8)}`;
const route = (path: string, summary: string) => ({
  ...{ path, script_path: "f/ops/hello", is_flow: false, http_method: "get", workspaced_route: true },
  ...{ route_path: path.split("/").at(-1), authentication_method: "none", summary },
});
const script = (path: string, summary: string) => newScriptSchema.parse({ path, language: "bun", content: "1", summary, description: "" });
const flow = (path: string, summary: string) => {
  // A version's number is derived from the clock.
  world.clock.nowMs += 1;
  return newFlowSchema.parse({ path, summary, value: { modules: [] } });
};

export const versionedKinds: Record<string, VersionedKind> = {
  variable: {
    key: (path) => variableObject.key(world.workspace, path),
    create: (path) => createVariable(world.deps, caller(), newVariableSchema.parse({ path, value: "a", is_secret: true })),
    change: (path, value, writer) => updateVariable(world.deps, target(path, writer), { value }),
    remove: (path, writer) => deleteVariable(world.deps, target(path, writer)),
  },
  resource: {
    key: (path) => resourceObject.key(world.workspace, path),
    create: (path) => createResource(world.deps, caller(), newResourceSchema.parse({ path, value: {}, resource_type: "any" })),
    change: (path, text, writer) => updateResource(world.deps, target(path, writer), { value: { text } }),
    remove: (path, writer) => deleteResource(world.deps, target(path, writer)),
  },
  "resource type": {
    newPath: aName,
    key: (name) => resourceTypeObject.key(world.workspace, name),
    create: (name) => createResourceType(world.deps, caller(), { name }),
    change: (name, description, writer) => updateResourceType(world.deps, target(name, writer), { description }),
    remove: (name, writer) => deleteResourceType(world.deps, target(name, writer)),
  },
  app: {
    key: (path) => appObject.key(world.workspace, path),
    create: (path) =>
      createApp(world.deps, caller(), newAppSchema.parse({ path, summary: "", value: {}, policy: { execution_mode: "viewer" } })),
    change: (path, summary, writer) => updateApp(world.deps, target(path, writer), appChangeSchema.parse({ summary })),
    remove: (path, writer) => deleteApp(world.deps, target(path, writer)),
  },
  schedule: {
    key: (path) => scheduleObject.key(world.workspace, path),
    create: (path) => addSchedule(world, { path }),
    change: (path, summary, writer) =>
      updateSchedule(world.deps, target(path, writer), scheduleChangeSchema.parse({ ...aScheduleRequest({ path }), summary })),
    remove: (path, writer) => deleteSchedule(world.deps, target(path, writer)),
  },
  "HTTP trigger": {
    key: (path) => triggerObject.key(world.workspace, "http", path),
    create: (path) => world.create("http", route(path, "")),
    change: (path, summary, writer) =>
      updateTrigger(
        world.deps,
        { ...target(path, writer), kind: "http" },
        changedTriggerSchemas.http.parse(route(path, summary)) as NewTrigger,
      ),
    remove: (path, writer) => deleteTrigger(world.deps, { ...target(path, writer), kind: "http" }),
  },
  folder: {
    newPath: aName,
    key: (name) => folderObject.key(world.workspace, name),
    create: (name) => createFolder(world.deps, anAdmin, world.workspace, { name } as Parameters<typeof createFolder>[3]),
    change: (name, summary, writer) =>
      updateFolder(world.deps, { ...writer, workspace: world.workspace, name }, folderChangeSchema.parse({ summary })),
    remove: (name, writer) => deleteFolder(world.deps, { ...writer, workspace: world.workspace, name }),
  },
  flow: {
    key: (path) => flowHeadObject.key(world.workspace, path),
    create: (path) => saveFlow(world.deps, caller(), flow(path, "")),
    change: (path, summary, writer) => saveFlow(world.deps, { ...target(path, writer), at: path }, flow(path, summary)),
    remove: (path, writer) => deleteFlow(world.deps, target(path, writer)),
  },
  script: {
    key: (path) => scriptHeadObject.key(world.workspace, path),
    create: (path) => createScript(world.deps, caller(), script(path, "")),
    change: (path, summary, writer) => updateScript(world.deps, target(path, writer), script(path, summary)),
    remove: (path, writer) => deleteScript(world.deps, target(path, writer)),
  },
};
