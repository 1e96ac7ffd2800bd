import type { EventType } from "../../../contract/events.ts";
import type { Answer } from "./api.ts";
import { expectStatus, type Workspace } from "./workspace.ts";

/** The event of a change, as a receiver gets it in addition to `workspace_id` and `by`. */
interface ExpectedEvent {
  type: EventType;
  data: Record<string, unknown>;
}

/** A text in each value, source and argument. No event contains it. */
export const HIDDEN_VALUE = "hidden-value";

/** Makes one change of each kind over HTTP, one after the other, in a workspace with the folder `t`, and returns their events in this order. */
export async function makeEveryChange(ws: Workspace): Promise<ExpectedEvent[]> {
  const events: ExpectedEvent[] = [];
  const make = async (type: EventType, data: Record<string, unknown>, call: Promise<Answer>, status = 200): Promise<Answer> => {
    const answer = expectStatus(await call, status);
    events.push({ type, data });
    return answer;
  };
  const remove = (route: string) => ws.call("DELETE", route);
  await changeFolder(ws, make, remove);
  await changeConnections(ws, make, remove);
  await changeScripts(ws, make);
  await changeFlows(ws, make, remove);
  await changeApps(ws, make, remove);
  return events;
}

type Make = (type: EventType, data: Record<string, unknown>, call: Promise<Answer>, status?: number) => Promise<Answer>;
type Remove = (route: string) => Promise<Answer>;

async function changeFolder(ws: Workspace, make: Make, remove: Remove) {
  const name = "events";
  await make("CreateFolder", { name }, ws.ask.folders.create({ body: { name } }), 201);
  await make("UpdateFolder", { name }, ws.ask.folders.update({ name, body: { summary: HIDDEN_VALUE } }));
  await make("DeleteFolder", { name }, remove(`folders/delete/${name}`));
}

async function changeConnections(ws: Workspace, make: Make, remove: Remove) {
  const name = "c_events";
  await make("CreateResourceType", { name }, ws.ask.resources.types.create({ body: { name, description: HIDDEN_VALUE } }), 201);
  await make("UpdateResourceType", { name }, ws.ask.resources.types.update({ name, body: { description: HIDDEN_VALUE } }));
  const [path, to] = ["f/t/connection", "f/t/renamed"];
  const resource = { path, resource_type: name, value: { password: HIDDEN_VALUE } };
  await make("CreateResource", { path, resource_type: name }, ws.ask.resources.create({ body: resource }), 201);
  await make("UpdateResource", { path: to, old_path: path, resource_type: name }, ws.ask.resources.update({ path, body: { path: to } }));
  await make("DeleteResource", { path: to, resource_type: name }, remove(`resources/delete/${to}`));
  await make("DeleteResourceType", { name }, remove(`resources/type/delete/${name}`));
  const secret = { path, value: HIDDEN_VALUE, is_secret: true, description: HIDDEN_VALUE };
  await make("CreateVariable", { path, is_secret: true }, ws.ask.variables.create({ body: secret }), 201);
  await make("UpdateVariable", { path: to, old_path: path, is_secret: true }, ws.ask.variables.update({ path, body: { path: to } }));
  await make("DeleteVariable", { path: to, is_secret: true }, remove(`variables/delete/${to}`));
}

async function changeScripts(ws: Workspace, make: Make) {
  const [path, to] = ["f/t/script", "f/t/renamed_script"];
  const sent = { path, summary: "", language: "bash", content: `echo ${HIDDEN_VALUE}` };
  const save = async (type: EventType, fields: object, data: object) => {
    const expected: Record<string, unknown> = { path, language: "bash", kind: "script", ...data };
    const { text: hash } = await make(type, expected, ws.ask.scripts.create({ body: { ...sent, ...fields } }), 201);
    expected["hash"] = hash;
    return hash;
  };
  const first = await save("CreateScript", { deployment_message: "First" }, { deployment_message: "First" });
  const second = await save("UpdateScript", { path: to, parent_hash: first }, { path: to, old_path: path, parent_hash: first });
  const newest = { path: to, hash: second, parent_hash: first, language: "bash", kind: "script" };
  await make("DeleteScript", newest, ws.ask.scripts.archiveByPath({ path: to }));
  await make("DeleteScriptPath", newest, ws.ask.scripts.deleteByPath({ path: to }));
}

async function changeFlows(ws: Workspace, make: Make, remove: Remove) {
  const [path, to] = ["f/t/flow", "f/t/renamed_flow"];
  const flow = { path, summary: HIDDEN_VALUE, value: { modules: [{ id: "a", value: { type: "identity" } }] } };
  // The reply of a save does not contain the version.
  const version = async (at: string) => (await ws.ask.flows.get({ path: at })).json.version_id;
  const created: Record<string, unknown> = { path, deployment_message: "First" };
  await make("CreateFlow", created, ws.ask.flows.create({ body: { ...flow, deployment_message: "First" } }), 201);
  created["version"] = await version(path);
  const renamed: Record<string, unknown> = { path: to, old_path: path };
  await make("UpdateFlow", renamed, ws.ask.flows.update({ path, body: { ...flow, path: to } }));
  renamed["version"] = await version(to);
  const newest = { path: to, version: renamed["version"] };
  await make("ArchiveFlow", newest, ws.ask.flows.archive({ path: to, body: { archived: true } }));
  await make("DeleteFlow", newest, remove(`flows/delete/${to}`));
}

async function changeApps(ws: Workspace, make: Make, remove: Remove) {
  const [path, to] = ["f/t/app", "f/t/renamed_app"];
  const version = async (at: string) => {
    const [newest] = (await ws.ask.apps.history({ path: at })).json;
    return newest?.version;
  };
  const sent = { path, summary: HIDDEN_VALUE, value: { text: HIDDEN_VALUE }, policy: { execution_mode: "viewer" } };
  const created: Record<string, unknown> = { path };
  await make("CreateApp", created, ws.ask.apps.create({ body: sent }), 201);
  created["version"] = await version(path);
  const newest = { path: to, version: created["version"] };
  await make("UpdateApp", { ...newest, old_path: path }, ws.ask.apps.update({ path, body: { path: to } }));
  await make("DeleteApp", newest, remove(`apps/delete/${to}`));
}
