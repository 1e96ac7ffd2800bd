import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import type { Actor } from "../../core/people/actor.ts";
import { SEARCH_SHARDS } from "../../core/search/index-items.ts";
import { errorHandlerSetting } from "../../core/settings/workspace.ts";
import { newVersionedWorld } from "../../test/support/use-cases/cases/versioned-kinds.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { addSchedule } from "../../test/support/use-cases/world-schedules.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { createFolder } from "../folders/folders.ts";
import { createResource } from "../resources/save.ts";
import { archiveScript } from "../scripts/archive.ts";
import { createScript } from "../scripts/create.ts";
import { createVariable } from "../variables/save.ts";
import { listMentions } from "./list-mentions.ts";

let world: Awaited<ReturnType<typeof newVersionedWorld>>;
const folder = (name: string) => createFolder(world.deps, anAdmin, world.workspace, { name } as Parameters<typeof createFolder>[3]);
beforeAll(async () => {
  world = await newVersionedWorld();
  await folder("closed");
  // The first requests of a workspace compare its objects with the index.
  await createScript(world.deps, caller(), newScriptSchema.parse({ path: "f/t/first", language: "bash", content: "echo 1", summary: "" }));
  while (!(await usersOf("script", "f/t/first")).isComplete);
});

const newPath = (name = "t") => `f/${name}/n${randomUUID().slice(0, 8)}`;
const caller = (actor: Actor = anAdmin) => ({ actor, workspace: world.workspace });
type Kind = Parameters<typeof listMentions>[2]["kind"];
const usersOf = (kind: Kind, path: string, actor: Actor = anAdmin) => listMentions(world.deps, caller(actor), { kind, path });
const addScript = (path: string, content = "echo 1", language = "bash") =>
  createScript(world.deps, caller(), newScriptSchema.parse({ path, language, content, summary: "" }));
function addFlow(path: string, modules: object[]) {
  // A version's number is derived from the clock.
  world.clock.nowMs += 1;
  return saveFlow(world.deps, caller(), newFlowSchema.parse({ path, summary: "", value: { modules } }));
}
const refused = (code: string) => expect.objectContaining({ code });

describe("where a script is used", () => {
  it("is found in flows, sources, schedules, triggers and the settings of the workspace, exactly", async () => {
    const path = newPath();
    const [flow, source, importer, other] = [newPath(), newPath(), newPath(), newPath()];
    await addScript(path);
    await addFlow(flow, [{ id: "a", value: { type: "script", path } }]);
    await addScript(source, `await wmill.runScriptByPath("${path}")`, "bun");
    await addScript(importer, `import { a } from "./${path.split("/").at(-1)}.ts";`, "bun");
    await addScript(other, `// ${path}\nconst text = "see ${path}";`, "bun");
    const schedule = await addSchedule(world, { script_path: path, on_failure: `script/${path}` });
    const route = newPath();
    await world.create("http", {
      ...{ path: route, script_path: path, is_flow: false, http_method: "get", workspaced_route: true, authentication_method: "none" },
      route_path: route.split("/").at(-1),
    });
    const setting = { ...errorHandlerSetting.key(world.workspace), value: toJsonValue({ path: `script/${path}` }) };
    await world.deps.objects.put(setting);
    const { items, isComplete } = await usersOf("script", path);
    expect(isComplete).toBe(true);
    expect(items).toEqual(
      expect.arrayContaining([
        { kind: "flow", path: flow, where: "step a" },
        { kind: "schedule", path: schedule, where: "on_failure" },
        { kind: "schedule", path: schedule, where: "script_path" },
        { kind: "script", path: source, where: "code" },
        { kind: "script", path: importer, where: "import" },
        { kind: "setting", path: "error_handler", where: "path" },
        { kind: "trigger", trigger_kind: "http", path: route, where: "script_path" },
      ]),
    );
    expect(items).toHaveLength(7);
    await archiveScript(world.deps, { ...caller(), path: source });
    expect((await usersOf("script", path)).items).toHaveLength(6);
    await world.deps.objects.deleteItem(setting);
  });
});

describe("where a variable and a resource are used", () => {
  it("is found in resources, arguments and inputs", async () => {
    const [key, db, flow] = [newPath(), newPath(), newPath()];
    await createVariable(world.deps, caller(), newVariableSchema.parse({ path: key, value: "s", is_secret: true }));
    const value = { password: `$var:${key}`, note: `no $var:${key}` };
    await createResource(world.deps, caller(), newResourceSchema.parse({ path: db, value, resource_type: "any" }));
    const schedule = await addSchedule(world, { args: { db: `$res:${db}` } });
    const inputs = { db: { type: "static", value: `$res:${db}` }, key: { type: "javascript", expr: `variable('${key}')` } };
    await addFlow(flow, [{ id: "a", value: { type: "script", path: "f/ops/hello", input_transforms: inputs } }]);
    expect((await usersOf("variable", key)).items).toEqual([
      { kind: "flow", path: flow, where: "step a: input_transforms.key" },
      { kind: "resource", path: db, where: "value.password" },
    ]);
    expect((await usersOf("resource", db)).items).toEqual([
      { kind: "flow", path: flow, where: "step a: input_transforms.db" },
      { kind: "schedule", path: schedule, where: "args.db" },
    ]);
  });
});

describe("the list of what uses an object", () => {
  it("contains only what the caller may read, and nothing of the settings", async () => {
    const [path, visible, hidden] = [newPath(), newPath(), newPath("closed")];
    await addScript(path);
    for (const flow of [visible, hidden]) await addFlow(flow, [{ id: "a", value: { type: "script", path } }]);
    const setting = { ...errorHandlerSetting.key(world.workspace), value: toJsonValue({ path }) };
    await world.deps.objects.put(setting);
    expect((await usersOf("script", path)).items).toHaveLength(3);
    const reader = aReader(world.workspace, ["t"]);
    expect((await usersOf("script", path, reader)).items).toEqual([{ kind: "flow", path: visible, where: "step a" }]);
    const scoped = { ...reader, scopes: ["scripts:read"] };
    expect((await usersOf("script", path, scoped)).items).toEqual([]);
    await world.deps.objects.deleteItem(setting);
  });

  it.each<Kind>(["script", "flow", "resource", "variable"])("is refused for a %s that does not exist, or that is hidden", async (kind) => {
    const hidden = newPath("closed");
    if (kind === "script") await addScript(hidden);
    await expect(usersOf(kind, newPath())).rejects.toEqual(refused("object.notFound"));
    await expect(usersOf(kind, hidden, aReader(world.workspace, ["t"]))).rejects.toEqual(refused("object.notFound"));
    const scoped = { ...anAdmin, scopes: ["schedules:read"] };
    await expect(usersOf(kind, newPath(), scoped)).rejects.toEqual(refused("auth.forbidden"));
  });

  it("needs one read for each partition of the index and each kind, and one for all candidates", async () => {
    const path = newPath();
    await addScript(path);
    for (let n = 0; n < 20; n += 1) await addScript(newPath(), `echo ${n}`);
    await usersOf("script", path);
    const reads: string[] = [];
    const objects = new Proxy(world.deps.objects, {
      get: (target, name) => {
        const method = target[name as keyof typeof target] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          reads.push(String(name));
          return method.apply(target, args);
        };
      },
    });
    await listMentions({ ...world.deps, objects }, caller(), { kind: "script", path });
    const count = (name: string) => reads.filter((each) => each === name).length;
    // The state of the index; its signatures; schedules and four kinds of triggers; the object, the settings and the candidates.
    expect({ get: count("get"), list: count("list"), listPage: count("listPage"), batchGet: count("batchGet") }).toEqual({
      ...{ get: 1, list: SEARCH_SHARDS, listPage: 5, batchGet: 3 },
    });
  });
});
