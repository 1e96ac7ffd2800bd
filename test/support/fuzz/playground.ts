import { randomUUID } from "node:crypto";
import { defined } from "../../../contract/defined.ts";
import { EDGE_KEY_HEADER } from "../../../contract/env.ts";
import { accountObject } from "../../../core/accounts/account.ts";
import { CONNECT_CLIENTS } from "../../../core/accounts/client.ts";
import { instanceSettingObject } from "../../../core/objects/setting.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { SYNC_LIMIT } from "../../../core/settings/instance.ts";
import { requestDeviceCode } from "../../../services/identity/sign-in/device-grant.ts";
import { buildTokenWrites } from "../../../services/identity/tokens/tokens.ts";
import { buildWorkspaceWrites } from "../../../services/workspaces/workspaces.ts";
import { newWorld } from "../use-cases/world.ts";
import { addWorkspace, work } from "../use-cases/world-jobs.ts";
import type { Handler } from "./deployed-functions.ts";
import { EDGE_KEY, lambdaContext, type Sent, toGatewayEvent } from "./gateway-event.ts";

const ADMIN = { email: "ann@example.com", username: "ann", superAdmin: true };

const OBJECT_PATHS = ["f/t/script", "f/t/flow", "f/t/plain", "f/t/secret", "f/t/resource", "f/t/schedule", "f/t/mails"];

/** Accounts without a variable. Some calls remove them. */
const ACCOUNTS = [1, 2, 3, 4, 5, 6];

/** An instance with a workspace that has one object of each kind, and its administrator. The fuzzer may damage all of it. */
export interface Playground {
  workspace: string;
  /** Creates a token of the administrator. */
  newToken(): Promise<string>;
  /** Creates a workspace, for an operation that would delete that of the playground. */
  newWorkspace(): Promise<string>;
  /** Existing objects by the parameter that identifies them. */
  known: Readonly<Record<string, readonly string[]>>;
}

/** Creates the playground through the handlers. Throws an error that contains the response if one refuses a call. */
export async function newPlayground(handlers: ReadonlyMap<string, Handler>): Promise<Playground> {
  const world = await newWorld();
  world.clock.nowMs = Date.now();
  await addWorkspace(world);
  world.answers.build = async () => ({ ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "" });
  const { workspace, deps } = world;
  // No worker runs the flows here, so the calls that wait for them should not wait for long.
  await deps.objects.put({ ...instanceSettingObject.key(SYNC_LIMIT), value: 1 });
  const connect_config = { auth_url: "https://id.example.com/auth", token_url: "https://id.example.com/token", scopes: [] };
  await deps.objects.put({ ...instanceSettingObject.key(CONNECT_CLIENTS), value: { acme: { id: "svc", connect_config } }, version: "1" });
  for (const id of ACCOUNTS) {
    const account = { id, client: "acme", owner: ADMIN.email, failures: 0, createdAtMs: Date.now() };
    await deps.objects.put({ ...accountObject.key(workspace, id), value: account, version: "1" });
  }
  const newToken = async () => {
    const person = { email: ADMIN.email, username: ADMIN.username, superAdmin: true, createdAtMs: Date.now() };
    const { value, writes } = buildTokenWrites(ADMIN, {} as Parameters<typeof buildTokenWrites>[1], Date.now());
    await Promise.all([deps.objects.put({ ...userObject.key(personKey(ADMIN.email)), value: person }), deps.objects.transactWrite(writes)]);
    return value;
  };
  const newWorkspace = async () => {
    const id = `w-${randomUUID().slice(0, 8)}`;
    await deps.objects.transactWrite(buildWorkspaceWrites({ ...ADMIN, workspace: { id, name: id } }, Date.now()));
    return id;
  };
  const token = await newToken();
  const call = async (fn: string, sent: Omit<Sent, "headers" | "body"> & { json?: unknown; text?: string }): Promise<string> => {
    const { json, text, path, ...rest } = sent;
    const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
    const headers = Object.entries({
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      [EDGE_KEY_HEADER]: EDGE_KEY,
    });
    const event = toGatewayEvent({ ...rest, path: `/api/w/${workspace}/${path}`, headers, ...defined({ body }) });
    const reply = await handlers.get(fn)?.(event, lambdaContext);
    if (!reply || reply.statusCode >= 300) throw new Error(`${path}: ${reply?.statusCode} ${reply?.body}`);
    return reply.body;
  };
  const post = (fn: string, path: string, json: unknown) => call(fn, { method: "POST", path, json });

  await post("people", "folders/create", { name: "t" });
  await post("people", "workspaces/add_user", { email: "mate@example.com", is_admin: false, operator: false }).catch(() => "");
  const script = { path: "f/t/script", summary: "", language: "bash", content: "echo done" };
  const hash = await post("objects", "scripts/create", script);
  await work(world);
  for (const [fn, path, json] of [
    ["objects", "variables/create", { path: "f/t/plain", value: "v", is_secret: false }],
    ["objects", "variables/create", { path: "f/t/secret", value: "a secret value", is_secret: true }],
    ["objects", "resources/create", { path: "f/t/resource", value: { secret: "$var:f/t/secret" }, resource_type: "any" }],
    ["objects", "resources/type/create", { name: "kind", schema: { type: "object" } }],
    ["people", "groups/create", { name: "team" }],
  ] as const) {
    await post(fn, path, json);
  }
  await call("objects", { method: "POST", path: "job_helpers/upload_s3_file", query: [["file_key", "one.txt"]], text: "text" });
  const value = { modules: [{ id: "a", value: { type: "script", path: "f/t/script" } }] };
  await post("objects", "flows/create", { path: "f/t/flow", summary: "", value });
  const flow = JSON.parse(await call("objects", { method: "GET", path: "flows/get/f/t/flow" })) as { version_id: number };
  const schedule = { path: "f/t/schedule", schedule: "0 0 0 1 1 *", timezone: "UTC", script_path: "f/t/script", is_flow: false, args: {} };
  await post("triggers", "schedules/create", schedule);
  const mails = { path: "f/t/mails", script_path: "f/t/script", is_flow: false, local_part: "orders" };
  await post("triggers", "email_triggers/create", mails);
  // Kinds do not share their paths, so that each known path can have an object of most kinds.
  for (const path of OBJECT_PATHS) {
    for (const kind of ["script", "flow", "app"]) await post("people", `drafts/update/${kind}/${path}`, { value: { draft: true } });
    const route = { path, script_path: "f/t/script", is_flow: false, http_method: "post", workspaced_route: true };
    await post("triggers", "http_triggers/create", { ...route, route_path: path });
    await post("objects", "apps/create", { path, summary: "", value: {}, policy: { execution_mode: "viewer" } });
    if (path !== schedule.path) await post("triggers", "schedules/create", { ...schedule, path });
    if (path !== mails.path) await post("triggers", "email_triggers/create", { ...mails, path, local_part: path.replaceAll("/", "-") });
  }
  for (const [language, content] of [
    ["bun", "{}"],
    ["python3", ""],
    ["go", ""],
  ] as const) {
    for (const name of [undefined, "t", "team", "kind", "postgresql"])
      await post("people", "workspace_dependencies/create", { language, content, name });
  }
  const devices: string[] = [];
  for (let at = 0; at < 5; at += 1) devices.push((await requestDeviceCode(deps, { clientName: "laptop", address: "192.0.2.1" })).userCode);
  const ended = await post("run", "jobs/run/p/f/t/script", {});
  await work(world);
  const waiting = await call("run", {
    method: "POST",
    path: "jobs/run/p/f/t/script",
    query: [["scheduled_in_secs", "1000000"]],
    json: {},
  });
  const [entry] = JSON.parse(await call("people", { method: "GET", path: "audit/list" })) as { id: string }[];
  return {
    workspace,
    newToken,
    newWorkspace,
    known: {
      workspace: [workspace],
      path: [...OBJECT_PATHS, "t", "team"],
      hash: [hash],
      version: [String(flow.version_id)],
      id: [ended, waiting, entry?.id ?? ""],
      job_id: [ended, waiting],
      run_id: [ended, waiting],
      name: ["t", "team", "kind", "postgresql"],
      kind: ["script", "flow", "variable", "resource", "folder", "group_"],
      client: ["acme"],
      username: ["mate", "absent"],
      resume_id: ["1"],
      user_code: devices,
      signature: ["0".repeat(64)],
      file: ["approve.html", "index.html"],
      file_key: ["one.txt"],
    },
  };
}
