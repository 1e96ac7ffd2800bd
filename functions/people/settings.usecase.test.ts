import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../contract/defined.ts";
import { EDGE_KEY_HEADER } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";
import { buildTokenWrites } from "../../services/identity/tokens/tokens.ts";
import { addMember } from "../../services/workspaces/add-member.ts";
import { type Handler, loadFunctions } from "../../test/support/fuzz/deployed-functions.ts";
import { EDGE_KEY, lambdaContext, toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import type { Reply } from "../shared/reply/reply.ts";

let world: World;
let people: Handler;
let close: () => void;
let tokens: { admin: string; developer: string };
beforeAll(async () => {
  world = await newWorldWithFolder();
  const loaded = await loadFunctions(["people"]);
  people = loaded.handlers.get("people") as Handler;
  close = loaded.close;
  await addMember(
    world.deps,
    world.workspace,
    { email: "dev@example.com", is_admin: false, operator: false, username: "dev" },
    { inherits: false },
  );
  tokens = { admin: await newToken("ann"), developer: await newToken("dev") };
}, 60_000);
afterAll(() => close());

async function newToken(username: string): Promise<string> {
  const owner = { email: `${username}@example.com`, username, superAdmin: username === "ann" };
  const { value, writes } = buildTokenWrites(owner, {} as Parameters<typeof buildTokenWrites>[1], Date.now());
  await world.deps.objects.transactWrite(writes);
  return value;
}

interface Options {
  as?: keyof typeof tokens;
  workspace?: string;
}
/** Sends a request to the function. A text body is sent unchanged. */
function send(method: string, route: string, body?: unknown, { as = "admin", workspace = world.workspace }: Options = {}): Promise<Reply> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headers = [
    ["Authorization", `Bearer ${tokens[as]}`],
    ["Content-Type", "application/json"],
    [EDGE_KEY_HEADER, EDGE_KEY],
  ] as const;
  const sent = { method, path: `/api/w/${workspace}/${route}`, headers, ...defined({ body: text }) };
  return people(toGatewayEvent(sent), lambdaContext);
}
const post = (route: string, body?: unknown, options?: Options) => send("POST", `workspaces/${route}`, body, options);
const settings = async () => JSON.parse((await send("GET", "workspaces/get_settings")).body) as Record<string, unknown>;

/** A value with keys that this service does not know. */
const UNKNOWN = '{"repositories":[{"path":"$res:f/t/git","é":null}],"__proto__":{"constructor":[1.5,"\\u0001"]},"":{"b":0,"a":false}}';

/** The routes of settings: the key in the settings, a body as text, and the value that it sets. */
const editing: readonly (readonly [route: string, key: string, body: string, value: string])[] = [
  ["edit_default_app", "default_app", '{"default_app_path":"f/t/app"}', '"f/t/app"'],
  ["default_scripts", "default_scripts", UNKNOWN, UNKNOWN],
  ["edit_git_sync_config", "git_sync", `{"git_sync_settings":${UNKNOWN}}`, UNKNOWN],
  ["edit_slack_command", "slack_command_script", '{"slack_command_script":"script/f/t/answer"}', '"script/f/t/answer"'],
  ["operator_settings", "operator_settings", UNKNOWN, UNKNOWN],
  ["edit_datatable_config", "datatable", `{"settings":${UNKNOWN},"renames":[]}`, UNKNOWN],
  ["critical_alerts/mute", "mute_critical_alerts", '{"mute_critical_alerts":false}', "false"],
  ["edit_deploy_ui_config", "deploy_ui", `{"deploy_ui_settings":${UNKNOWN}}`, UNKNOWN],
];
const fieldOf = (body: string) => Object.keys(JSON.parse(body) as object)[0] ?? "";

describe.each(editing)("workspaces/%s", (route, key, body, value) => {
  it("stores the setting exactly as it was sent, and repeating the request changes nothing", async () => {
    for (let times = 0; times < 2; times += 1) {
      expect(await post(route, body)).toMatchObject({ statusCode: 200 });
      expect((await send("GET", "workspaces/get_settings")).body).toContain(`"${key}":${value}`);
    }
  });

  it("removes the setting if the body is empty, null or contains null", async () => {
    for (const empty of [undefined, "{}", "null", ...(value === body ? [] : [`{"${fieldOf(body)}":null}`])]) {
      expect(await post(route, body)).toMatchObject({ statusCode: 200 });
      expect(await settings()).toHaveProperty(key);
      expect(await post(route, empty)).toMatchObject({ statusCode: 200 });
      expect(await settings()).not.toHaveProperty(key);
    }
  });

  it("refuses a member who is not an admin, and does not change the setting", async () => {
    await post(route, body);
    const before = await settings();
    expect(await post(route, "{}", { as: "developer" })).toMatchObject({ statusCode: 403 });
    expect(await post(route, body, { as: "developer", workspace: "other" })).toMatchObject({ statusCode: 404 });
    expect(await settings()).toEqual(before);
  });

  it("answers 404 for a workspace that does not exist, and stores nothing for one that is created later", async () => {
    expect(await post(route, body, { workspace: "none-such" })).toMatchObject({ statusCode: 404 });
    expect(await world.deps.objects.list("SETTINGS#none-such")).toEqual([]);
  });

  it("has an entry in the audit log without the value", async () => {
    await post(route, body);
    const entry = (JSON.parse((await send("GET", "audit/list")).body) as { operation: string; resource?: string }[])[0];
    expect(entry?.operation).toMatch(/^workspaces\.(edit|mute)_/);
    expect(entry?.resource).toBe(value === body ? key : undefined);
  });
});

describe("a setting for other clients", () => {
  it("has at most the bytes of its limit, and a larger one changes nothing", async () => {
    const sized = (chars: number) => ({ text: "é".repeat(chars) });
    const most = Math.floor((limits.settingBytes - '{"text":""}'.length) / 2);
    expect(await post("default_scripts", sized(most))).toMatchObject({ statusCode: 200 });
    const refused = await post("default_scripts", sized(most + 1));
    expect(refused).toMatchObject({ statusCode: 413, headers: { "x-svc-error": "body.tooLarge" } });
    expect((await settings())["default_scripts"]).toEqual(sized(most));
    await post("default_scripts");
    expect(await post("edit_default_app", { default_app_path: "a".repeat(limits.settingPathChars + 1) })).toMatchObject({
      statusCode: 422,
    });
  });

  it("is refused if its type is another one", async () => {
    for (const [route, body] of [
      ["default_scripts", []],
      ["operator_settings", "1"],
      ["edit_git_sync_config", { git_sync_settings: "text" }],
      ["edit_default_app", { default_app_path: 1 }],
      ["critical_alerts/mute", { mute_critical_alerts: "yes" }],
    ] as const) {
      expect(await post(route, body), route).toMatchObject({ statusCode: 422 });
    }
  });

  it("survives concurrent changes of all others", async () => {
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(editing.map(([route]) => post(route)));
      const replies = await Promise.all(editing.map(([route, , body]) => post(route, body)));
      expect(replies.map(({ statusCode }) => statusCode)).toEqual(editing.map(() => 200));
      const found = await settings();
      expect(editing.filter(([, key, , value]) => JSON.stringify(found[key]) !== value)).toEqual([]);
    }
  });

  it("with keys that look like names does not add those names to the audit log", async () => {
    await post("operator_settings", { key: "a secret", path: "a secret" });
    expect((await send("GET", "audit/list")).body).not.toContain("a secret");
  });
});

describe("the templates of new scripts", () => {
  const read = (options?: Options) => send("GET", "workspaces/default_scripts", undefined, options);

  it("are shown to every member, and null if there are none", async () => {
    await post("default_scripts", UNKNOWN);
    expect(await read({ as: "developer" })).toMatchObject({ statusCode: 200, body: UNKNOWN });
    await post("default_scripts", {});
    expect(await read({ as: "developer" })).toMatchObject({ statusCode: 200, body: "null" });
    expect(await read({ workspace: "none-such" })).toMatchObject({ statusCode: 404 });
  });
});

describe("constant answers", () => {
  it("members see that there are no shared files", async () => {
    expect(await send("GET", "shared_ui/get", undefined, { as: "developer" })).toMatchObject({ statusCode: 200, body: '{"files":{}}' });
    expect(await send("GET", "shared_ui/get", undefined, { as: "developer", workspace: "other" })).toMatchObject({ statusCode: 404 });
  });

  it("only admins read all settings", async () => {
    expect(await send("GET", "workspaces/get_settings", undefined, { as: "developer" })).toMatchObject({ statusCode: 403 });
  });
});
