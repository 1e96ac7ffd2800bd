import { randomUUID } from "node:crypto";
import { newFlowSchema } from "../../../../contract/routes/flows/flows.ts";
import { appChangeSchema, newAppSchema } from "../../../../contract/routes/stored/apps.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../../../contract/routes/stored/variables.ts";
import { appObject } from "../../../../core/apps/app.ts";
import { flowHeadObject } from "../../../../core/flows/version.ts";
import { createApp, updateApp } from "../../../../services/apps/save.ts";
import { saveFlow } from "../../../../services/flows/definitions/save.ts";
import { createFolder } from "../../../../services/folders/folders.ts";
import { createResource, updateResource } from "../../../../services/resources/save.ts";
import { createResourceType } from "../../../../services/resources/types.ts";
import { createScript } from "../../../../services/scripts/create.ts";
import { createVariable, updateVariable } from "../../../../services/variables/save.ts";
import { changeAcl } from "../../../../services/workspaces/acls.ts";
import { newWorld, type World } from "../world.ts";
import { addWorkspace } from "../world-jobs.ts";
import { anAdmin } from "../world-people.ts";

/** A text in every value, source and description. No event may contain it. */
export const HIDDEN = "hidden-text";

/** The world and the names of the objects of the current case. Importers see each change. */
export let world: World;
export let name: string;
export let path: string;
export let renamed: string;

/** Creates the world in which the cases make their changes: a workspace without an endpoint. */
export async function newEventWorld(): Promise<void> {
  world = await newWorld();
  await addWorkspace(world);
  await makeFolder("t");
  await makeFolder("new");
}

/** Chooses the names of the objects of the next case. */
export function nameNextObjects(): void {
  name = `n${randomUUID().slice(0, 8)}`;
  path = `f/t/${name}`;
  renamed = `f/new/${name}`;
}

export const caller = () => ({ actor: anAdmin, workspace: world.workspace });
export const makeFolder = (folder: string, fields: object = {}) =>
  createFolder(world.deps, anAdmin, world.workspace, { name: folder, ...fields } as Parameters<typeof createFolder>[3]);
export const script = (fields: object = {}, options = {}) => {
  world.clock.nowMs += 1;
  const content = `export const main = () => "${HIDDEN}";`;
  const sent = { path, language: "bun", content, summary: HIDDEN, description: HIDDEN, ...fields };
  return createScript(world.deps, caller(), newScriptSchema.parse(sent), options);
};
export const flow = (fields: object = {}, at?: string) => {
  world.clock.nowMs += 1;
  const value = { modules: [{ id: "a", value: { type: "rawscript", language: "bun", content: HIDDEN, input_transforms: {} } }] };
  return saveFlow(
    world.deps,
    { ...caller(), ...(at === undefined ? {} : { at }) },
    newFlowSchema.parse({ path, summary: HIDDEN, value, ...fields }),
  );
};
export const flowVersion = async (at = path) => Number((await world.deps.objects.get(flowHeadObject.key(world.workspace, at)))?.version);
export const app = (fields: object = {}) =>
  createApp(
    world.deps,
    caller(),
    newAppSchema.parse({ path, summary: HIDDEN, value: { text: HIDDEN }, policy: { execution_mode: "viewer" }, ...fields }),
  );
export const changeApp = (change: object) => updateApp(world.deps, { ...caller(), path }, appChangeSchema.parse(change));
export const appVersion = async (at = path) =>
  ((await world.deps.objects.get(appObject.key(world.workspace, at)))?.value as { version: number } | undefined)?.version;
export const variable = (fields: object = {}) =>
  createVariable(world.deps, caller(), newVariableSchema.parse({ path, value: HIDDEN, is_secret: true, description: HIDDEN, ...fields }));
export const changeVariable = (change: object) => updateVariable(world.deps, { ...caller(), path }, change);
export const resource = (fields: object = {}, options = {}) =>
  createResource(
    world.deps,
    caller(),
    newResourceSchema.parse({ path, value: { key: HIDDEN }, resource_type: "any", description: HIDDEN, ...fields }),
    options,
  );
export const changeResource = (change: object) => updateResource(world.deps, { ...caller(), path }, change);
export const resourceType = () =>
  createResourceType(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    newResourceTypeSchema.parse({ name, description: HIDDEN }),
  );
export const share = (kind: string, at = path) =>
  changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind, path: at }, { owner: "u/bob", right: true });
