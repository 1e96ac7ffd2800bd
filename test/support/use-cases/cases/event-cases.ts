import { scriptRoutes } from "../../../../contract/routes/stored/scripts.ts";
import { deleteApp } from "../../../../services/apps/delete.ts";
import { deleteFlow, setFlowArchived } from "../../../../services/flows/definitions/archive.ts";
import { addFolderOwner, deleteFolder, updateFolder } from "../../../../services/folders/folders.ts";
import { deleteResource } from "../../../../services/resources/save.ts";
import { deleteResourceType, updateResourceType } from "../../../../services/resources/types.ts";
import { archiveScript, deleteScript, deleteScriptVersion } from "../../../../services/scripts/archive.ts";
import { muteScriptErrorHandler } from "../../../../services/scripts/change-version.ts";
import { deleteVariable } from "../../../../services/variables/save.ts";
import { anAdmin } from "../world-people.ts";
import {
  app,
  appVersion,
  caller,
  changeApp,
  changeResource,
  changeVariable,
  flow,
  flowVersion,
  HIDDEN,
  makeFolder,
  name,
  path,
  renamed,
  resource,
  resourceType,
  script,
  share,
  variable,
  world,
} from "./event-changes.ts";

interface Case {
  title: string;
  /** Creates the objects that the change needs, before there is an endpoint. */
  prepare?: () => Promise<unknown>;
  /** Makes the change, and returns the fields of its event that only it knows. */
  change: () => Promise<unknown>;
  type: string;
  /** Only one of several concurrent calls makes the change, and the others are refused or succeed without a change. The default is true for all types but updates. */
  once?: boolean;
  data: (prepare: unknown, changed: unknown) => unknown | Promise<unknown>;
}
/** The version that the change of a case refers to. */
let parentHash = "";
const bun = { language: "bun", kind: "script" };

/** Every kind of change with its event. A case refers to the world and to the names that were chosen last. */
export const eventCases: Case[] = [
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
    change: () => muteScriptErrorHandler(world.deps, { ...caller(), path }, true),
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
    change: () => archiveScript(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
    type: "DeleteScript",
    data: (hashes) => ({ path, hash: (hashes as string[])[1], parent_hash: (hashes as string[])[0], ...bun }),
  },
  {
    title: "a deleted version of a script",
    prepare: async () => (parentHash = await script()),
    change: () =>
      deleteScriptVersion(world.deps, { actor: anAdmin, action: scriptRoutes.deleteScriptByHash, workspace: world.workspace }, parentHash),
    type: "DeleteScript",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "a script deleted with its path",
    prepare: () => script(),
    change: () => deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
    type: "DeleteScriptPath",
    data: (hash) => ({ path, hash, ...bun }),
  },
  {
    title: "the remaining versions of a renamed script",
    prepare: async () => script({ path: renamed, parent_hash: await script() }),
    change: () => deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
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
    change: () => setFlowArchived(world.deps, { ...caller(), path }, true),
    type: "ArchiveFlow",
    data: async () => ({ path, version: await flowVersion() }),
  },
  {
    title: "a restored flow",
    prepare: async () => {
      await flow();
      await setFlowArchived(world.deps, { ...caller(), path }, true);
    },
    change: () => setFlowArchived(world.deps, { ...caller(), path }, false),
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
    change: () => deleteFlow(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
    type: "DeleteFlow",
    data: (version) => ({ path, version }),
  },
  {
    title: "a new app",
    change: () => app({ deployment_message: "First" }),
    type: "CreateApp",
    data: async () => ({ path, version: await appVersion(), deployment_message: "First" }),
  },
  {
    title: "another value of an app",
    prepare: () => app(),
    change: () => changeApp({ value: { other: HIDDEN } }),
    type: "UpdateApp",
    data: async () => ({ path, version: await appVersion() }),
  },
  {
    title: "a renamed app",
    prepare: () => app(),
    change: () => changeApp({ path: renamed }),
    type: "UpdateApp",
    once: true,
    data: async () => ({ path: renamed, old_path: path, version: await appVersion(renamed) }),
  },
  {
    title: "other permissions of an app",
    prepare: () => app(),
    change: () => share("app"),
    type: "UpdateApp",
    data: async () => ({ path, version: await appVersion() }),
  },
  {
    title: "a deleted app",
    prepare: async () => {
      await app();
      return appVersion();
    },
    change: () => deleteApp(world.deps, { ...caller(), path }),
    type: "DeleteApp",
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
    change: () => deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
    type: "DeleteResource",
    data: () => ({ path, resource_type: "any" }),
  },
  { title: "a new resource type", change: resourceType, type: "CreateResourceType", data: () => ({ name }) },
  {
    title: "a changed resource type",
    prepare: resourceType,
    change: () => updateResourceType(world.deps, { ...caller(), path: name }, { description: HIDDEN }),
    type: "UpdateResourceType",
    data: () => ({ name }),
  },
  {
    title: "a deleted resource type",
    prepare: resourceType,
    change: () => deleteResourceType(world.deps, { actor: anAdmin, workspace: world.workspace, path: name }),
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
    change: () => deleteVariable(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
    type: "DeleteVariable",
    data: () => ({ path, is_secret: true }),
  },
  { title: "a new folder", change: () => makeFolder(name, { summary: HIDDEN }), type: "CreateFolder", data: () => ({ name }) },
  {
    title: "a changed folder",
    prepare: () => makeFolder(name),
    change: () => updateFolder(world.deps, { ...caller(), name }, { summary: HIDDEN }),
    type: "UpdateFolder",
    data: () => ({ name }),
  },
  {
    title: "another owner of a folder",
    prepare: () => makeFolder(name),
    change: () => addFolderOwner(world.deps, { ...caller(), name }, "u/bob"),
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
    change: () => deleteFolder(world.deps, { actor: anAdmin, workspace: world.workspace, name }),
    type: "DeleteFolder",
    data: () => ({ name }),
  },
];
