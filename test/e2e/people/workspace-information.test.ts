import { expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";

it("a workspace shows its public settings, its kinds of triggers and its usage", async () => {
  const ws = await newWorkspace();
  const ann = (await member(ws, "ann")).in(ws);
  await ws.saveScript({ path: "f/t/script", language: "bash", content: "echo done" });
  expectStatus(await ws.runWait("f/t/script"), 200);
  const common = { script_path: "f/t/script", is_flow: false, http_method: "post", workspaced_route: true };
  expectStatus(await ws.post("http_triggers/create", { path: "f/t/route", route_path: "orders", ...common }), 201);
  expectStatus(await ws.post("workspaces/edit_large_file_storage_config", { large_file_storage: { type: "stack" } }), 200);
  expect((await ann.get("workspaces/get_public_settings")).json).toEqual({
    workspace_id: ws.id,
    name: ws.id,
    large_file_storage: { type: "stack" },
  });
  expect((await ann.get("workspaces/used_triggers")).json).toMatchObject({ http_routes_used: true, sqs_used: false, kafka_used: false });
  expect((await ann.get("workspaces/is_premium")).json).toBe(true);
  expect((await ann.get("workspaces/usage")).status).toBe(403);
  const usage = expectStatus(await ws.get("workspaces/usage", { days: 2 }), 200).json as { days: { kind: string; jobs: number }[] };
  expect(usage.days.find(({ kind }) => kind === "script")?.jobs).toBe(1);
  expect((await ws.get("scripts/get_triggers_count/f/t/script")).json).toMatchObject({
    http_routes_count: 1,
    schedule_count: 0,
    sqs_count: 0,
  });
});

it("a workspace stores what a synchronisation needs: settings of other clients, and the marks of workspace-specific objects", async () => {
  const ws = await newWorkspace();
  const ann = (await member(ws, "ann")).in(ws);
  const git_sync = { repositories: [{ git_repo_resource_path: "$res:f/t/git", settings: { include_path: ["f/**"] } }] };
  const default_scripts = { order: ["bun"], hidden: [], default_script_content: { bun: "export const main = () => 1;" } };
  const operator_settings = { runs: true, schedules: false };
  const datatable = { datatables: { main: { database: { resource_type: "postgresql", resource_path: "f/t/db" } } } };
  const deploy_ui = { include_path: [], include_type: ["script"] };
  for (const [route, body] of [
    ["edit_default_app", { default_app_path: "f/t/app" }],
    ["default_scripts", default_scripts],
    ["edit_git_sync_config", { git_sync_settings: git_sync }],
    ["edit_slack_command", { slack_command_script: "script/f/t/answer" }],
    ["operator_settings", operator_settings],
    ["edit_datatable_config", { settings: datatable }],
    ["critical_alerts/mute", { mute_critical_alerts: true }],
    ["edit_deploy_ui_config", { deploy_ui_settings: deploy_ui }],
  ] as const) {
    expect((await ann.post(`workspaces/${route}`, body)).status).toBe(403);
    expectStatus(await ws.post(`workspaces/${route}`, body), 200);
  }
  expectStatus(await ws.post("workspaces/edit_auto_invite", { auto_add: true, instance_groups: ["eng"] }), 200);
  expect(expectStatus(await ws.get("workspaces/get_settings"), 200).json).toEqual({
    workspace_id: ws.id,
    name: ws.id,
    default_app: "f/t/app",
    default_scripts,
    git_sync,
    slack_command_script: "script/f/t/answer",
    operator_settings,
    datatable,
    mute_critical_alerts: true,
    deploy_ui,
    auto_invite: { enabled: true, domain: expect.any(String), operator: false, mode: "add", instance_groups: ["eng"] },
  });
  expect((await ann.get("workspaces/default_scripts")).json).toEqual(default_scripts);

  expect((await ann.get("workspaces/list_ws_specific")).json).toEqual([]);
  expectStatus(await ws.post("variables/create", { path: "f/t/url", value: "v", is_secret: false, ws_specific: true }), 201);
  expectStatus(await ws.post("resources/create", { path: "f/t/db", value: {}, resource_type: "any", ws_specific: true }), 201);
  expect((await ws.get("workspaces/list_ws_specific")).json).toEqual([
    { item_kind: "variable", path: "f/t/url" },
    { item_kind: "resource", path: "f/t/db" },
  ]);
  expect((await ann.get("workspaces/list_ws_specific")).json).toEqual([]);
  expect((await ann.get("shared_ui/get")).json).toEqual({ files: {} });
});

it("the health of the service is shown part by part, without a token", async () => {
  const { json } = expectStatus(await api().call("GET", "health/detailed", { token: "" }), 200);
  expect(json).toMatchObject({ status: "healthy", checks: { database: { healthy: true, latency_ms: expect.any(Number) } } });
});

it("a flow can be muted for the error handler, and its triggers are counted", async () => {
  const ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/script", language: "bash", content: "echo done" });
  const value = { modules: [{ id: "a", value: { type: "script", path: "f/t/script" } }] };
  expectStatus(await ws.post("flows/create", { path: "f/t/flow", summary: "", value }), 201);
  const muted = async () => ((await ws.get("flows/get/f/t/flow")).json as { ws_error_handler_muted?: boolean }).ws_error_handler_muted;
  expect(await muted()).toBeUndefined();
  expectStatus(await ws.post("flows/toggle_workspace_error_handler/f/t/flow", { muted: true }), 200);
  expect(await muted()).toBe(true);
  expect((await ws.post("flows/toggle_workspace_error_handler/f/t/none", { muted: true })).status).toBe(404);
  expect((await ws.get("flows/get_triggers_count/f/t/flow")).json).toMatchObject({ http_routes_count: 0, webhook_count: 0 });
});

it("a draft belongs to its user", async () => {
  const ws = await newWorkspace();
  const ann = (await member(ws, "ann")).in(ws);
  expectStatus(await ws.post("drafts/update/script/f/t/new", { value: { content: "1" } }), 200);
  expect((await ws.get("drafts/get_own/script/f/t/new")).json).toMatchObject({ path: "f/t/new", value: { content: "1" } });
  expect((await ws.get("drafts/list")).json).toHaveLength(1);
  expect([(await ann.get("drafts/list")).json, (await ann.get("drafts/get_own/script/f/t/new")).status]).toEqual([[], 404]);
});

it("a script runs inline with the arguments in args", async () => {
  const ws = await newWorkspace();
  const content = "export const main = (a: number, b = 1) => a + b;";
  const hash = await ws.saveScript({ path: "f/t/add", language: "bun", content });
  for (const route of ["p/f/t/add", `h/${hash}`]) {
    expect(expectStatus(await ws.post(`jobs/run_inline/${route}`, { args: { a: 2 } }), 200).json).toBe(3);
  }
  expect(expectStatus(await ws.post("jobs/run_inline/preview", { content, language: "bun", args: { a: 4 } }), 200).json).toBe(5);
});
