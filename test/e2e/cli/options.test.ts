import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { type ServiceProxy, startServiceProxy, type Treatment } from "../../support/cli/service-proxy.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: InstalledCli;
let proxy: ServiceProxy;
let ws: Workspace;
let username: string;
beforeAll(async () => {
  [cli, proxy, ws] = await Promise.all([installCli(), startServiceProxy(), newWorkspace()]);
  ({ username } = (await ws.get("users/whoami")).json as { username: string });
  await fillWorkspace();
});
afterAll(() => {
  proxy?.close();
  cli?.remove();
});

/** Saves an object of every kind that has files. */
async function fillWorkspace(): Promise<void> {
  // Nothing is built: the lock is stated, or the service has no runner for the language.
  await ws.saveScript({ path: "f/t/sql", content: "select 1", language: "postgresql" }, false);
  await ws.saveScript({ path: "f/t/typed", content: "export const main = () => 1;", language: "deno", lock: "{}" }, false);
  const http = { route_path: "orders", http_method: "post", workspaced_route: true, mode: "disabled" };
  const runs = { script_path: "f/t/sql", is_flow: false };
  for (const [route, body] of [
    ["flows/create", { path: "f/t/flow", summary: "", value: { modules: [] } }],
    ["apps/create", { path: "f/t/app", summary: "", value: { grid: [] }, policy: { execution_mode: "viewer" } }],
    ["variables/create", { path: "f/t/plain", value: "v", is_secret: false, description: "" }],
    ["variables/create", { path: "f/t/secret", value: "hush", is_secret: true, description: "" }],
    ["variables/create", { path: `u/${username}/own`, value: "v", is_secret: false, description: "" }],
    ["folders/create", { name: "other" }],
    ["variables/create", { path: "f/other/plain", value: "v", is_secret: false, description: "" }],
    ["resources/create", { path: "f/t/db", value: { host: "h" }, resource_type: "any" }],
    ["resources/type/create", { name: "own", schema: {}, description: "" }],
    ["schedules/create", { path: "f/t/daily", schedule: "0 0 12 * * *", timezone: "UTC", args: {}, enabled: false, ...runs }],
    ["http_triggers/create", { path: "f/t/route", ...http, ...runs }],
    ["groups/create", { name: "team" }],
    ["workspace_dependencies/create", { workspace_id: ws.id, language: "bun", content: "{}" }],
  ] as const) {
    const answer = await ws.post(route, body);
    expect([route, answer.text, answer.status < 300]).toEqual([route, answer.text, true]);
  }
}

/** Files that every pull writes unless an option leaves them out. */
const always = {
  variable: "f/t/plain.variable.yaml",
  resource: "f/t/db.resource.yaml",
  type: "own.resource-type.yaml",
  script: "f/t/sql.pg.sql",
  deno: "f/t/typed.deno.ts",
  flow: "f/t/flow.flow/flow.yaml",
  app: "f/t/app.app/app.yaml",
  folder: "f/t/folder.meta.yaml",
  list: "dependencies/package.json",
  other: "f/other/plain.variable.yaml",
};
/** Files that a pull writes only if an option requests them. */
const requested = {
  secret: "f/t/secret.variable.yaml",
  schedule: "f/t/daily.schedule.yaml",
  trigger: "f/t/route.http_trigger.yaml",
  group: "groups/team.group.yaml",
  settings: "settings.yaml",
  key: "encryption_key.yaml",
};

const connection = () => ({ SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id });

/** A folder with `svc.yaml`. */
function newProject(config: string): { folder: string; filesAmong(names: Record<string, string>): string[]; read(file: string): string } {
  const folder = cli.newFolder();
  writeFiles(folder, { "svc.yaml": config });
  return {
    folder,
    filesAmong: (names) => Object.values(names).filter((file) => existsSync(join(folder, file))),
    read: (file) => readFileSync(join(folder, file), "utf8"),
  };
}

/** Pulls into a new folder, and returns it. */
async function pull(config: string, { args = [] as string[], env = connection() as Record<string, string>, branch = "" } = {}) {
  const project = newProject(config);
  if (branch !== "") execFileSync("git", ["init", "-q", "-b", branch], { cwd: project.folder });
  const { code, stderr } = await cli.run(["sync", "pull", "--yes", ...args], { cwd: project.folder, env });
  expect([code, stderr]).toEqual([0, stderr]);
  return { ...project, stderr };
}

describe("a pull", () => {
  it("writes the kinds that no option excludes, and no kind that needs an option", async () => {
    const { filesAmong, folder } = await pull("{}\n");
    expect(filesAmong(always)).toEqual(Object.values(always));
    expect(filesAmong(requested)).toEqual([]);
    expect(existsSync(join(folder, "users"))).toBe(false);
  });

  it("omits each kind that a property skips, and writes each kind that a property includes", async () => {
    const skipped = [
      "Variables",
      "Resources",
      "ResourceTypes",
      "Scripts",
      "Flows",
      "Apps",
      "Folders",
      "WorkspaceDependencies",
      "Dmn",
      "DataMigrations",
    ];
    const included = ["Schedules", "Triggers", "Users", "Groups", "Settings", "Key"];
    const lines = [...skipped.map((kind) => `skip${kind}: true`), ...included.map((kind) => `include${kind}: true`)];
    const { filesAmong, folder } = await pull(`${lines.join("\n")}\n`);
    expect(filesAmong(always)).toEqual([]);
    const { secret, ...others } = requested;
    expect(filesAmong(requested)).toEqual(Object.values(others));
    expect(readdirSync(join(folder, "users"))).toHaveLength(1);
  });

  it("has the same options as flags", async () => {
    const flags = [
      "--skip-variables",
      "--skip-apps",
      "--no-skip-flows",
      "--include-groups",
      "--excludes",
      "f/t/db*,f/t/sql*",
      "--default-ts",
      "deno",
    ];
    const { filesAmong } = await pull("skipFlows: true\n", { args: flags });
    const { variable, other, app, resource, script, deno, ...rest } = always;
    expect(filesAmong(always)).toEqual(Object.values(rest));
    expect(filesAmong({ ...requested, typed: "f/t/typed.ts" })).toEqual([requested.group, "f/t/typed.ts"]);
  });

  it("selects, names and formats items as the properties state", async () => {
    const { folder, filesAmong, read } = await pull(
      [
        ...["includes: [f/t/**]", "extraIncludes: [u/**]", "excludes: [f/t/db*]", "nonDottedPaths: true", "defaultTs: deno"],
        ...["skipSecrets: false", "plainSecrets: true", "includeSchedules: true", "syncBehavior: v1", ""],
      ].join("\n"),
    );
    expect(filesAmong(always)).toEqual([always.variable, always.type, always.script, always.folder, always.list]);
    const own = `u/${username}/own.variable.yaml`;
    const named = { own, flow: "f/t/flow__flow/flow.yaml", app: "f/t/app__app/app.yaml", typed: "f/t/typed.ts" };
    expect(filesAmong(named)).toEqual(Object.values(named));
    expect(read(requested.secret)).toContain("value: hush");
    expect(read(requested.schedule)).toContain("has_permissioned_as: true");
    // Archives with secrets as plain text are not stored.
    expect(existsSync(join(folder, ".svc/archives"))).toBe(false);
  });

  it("encrypts secrets unless plainSecrets is true, and marks no identities unless syncBehavior is v1", async () => {
    const { folder, read } = await pull("skipSecrets: false\nincludeSchedules: true\n");
    expect(read(requested.secret)).toContain("is_secret: true");
    expect(read(requested.secret)).not.toContain("hush");
    expect(read(requested.schedule)).not.toContain("has_permissioned_as");
    expect(existsSync(join(folder, ".svc/archives"))).toBe(true);
  });
});

describe("the workspaces of svc.yaml", () => {
  /** Nothing: address and workspace are those of the chosen entry, and the token is that of the profile for this address. */
  const profileOnly = () => ({});
  beforeAll(async () => {
    const login = ["login", api().url, "--workspace", ws.id, "--with-token"];
    expect(await cli.run(login, { cwd: cli.newFolder(), stdin: api().token })).toMatchObject({ code: 0 });
  });
  const entry = (more: object) => ({ baseUrl: api().url, workspaceId: ws.id, ...more });

  it("are chosen by the git branch, each with its own address, options, promotion and items", async () => {
    const config = {
      includeTriggers: true,
      promotion: "main",
      workspaces: {
        commonSpecificItems: { resources: ["f/t/db"], folders: ["f/t"], settings: true },
        "prod.eu": entry({
          gitBranch: "release",
          overrides: { skipApps: true, includeSchedules: true, includeSettings: true },
          specificItems: { variables: ["f/t/**"], triggers: ["f/t/**"] },
        }),
        target: { gitBranch: "main", promotionOverrides: { skipFlows: true } },
      },
    };
    const { filesAmong } = await pull(JSON.stringify(config), { env: profileOnly(), branch: "release" });
    // The flow is left out by the promotion, the app by the workspace. The others have files of this workspace.
    expect(filesAmong(always)).toEqual([always.type, always.script, always.deno, always.list, always.other]);
    const specific = {
      ...{ variable: "f/t/plain.prod_eu.variable.yaml", resource: "f/t/db.prod_eu.resource.yaml", folder: "f/t/folder.prod_eu.meta.yaml" },
      ...{ schedule: "f/t/daily.prod_eu.schedule.yaml", trigger: "f/t/route.prod_eu.http_trigger.yaml", settings: "settings.prod_eu.yaml" },
    };
    expect(filesAmong(specific)).toEqual(Object.values(specific));
  });

  it.each(["gitBranches", "environments"])("may be named by the deprecated %s, with a warning", async (property) => {
    const { filesAmong, stderr } = await pull(JSON.stringify({ [property]: { dev: entry({ overrides: { skipScripts: true } }) } }), {
      env: profileOnly(),
      args: ["--workspace", "dev"],
    });
    expect(filesAmong(always)).not.toContain(always.script);
    expect(filesAmong(always)).toContain(always.flow);
    expect(stderr).toContain(`svc.yaml: ${property} is deprecated, use workspaces.`);
  });

  it("refuse a branch that none of them names, unless skipBranchValidation is true", async () => {
    const workspaces = { dev: entry({ overrides: { skipScripts: true } }) };
    const strict = newProject(JSON.stringify({ workspaces }));
    execFileSync("git", ["init", "-q", "-b", "feature"], { cwd: strict.folder });
    const refused = await cli.run(["sync", "pull", "--yes"], { cwd: strict.folder, env: profileOnly() });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("the git branch feature") });
    const others = { dev: entry({ workspaceId: "another", overrides: { skipScripts: true } }) };
    const { filesAmong } = await pull(JSON.stringify({ workspaces: others, skipBranchValidation: true }), { branch: "feature" });
    expect(filesAmong(always)).toContain(always.script);
  });
});

describe("a push", () => {
  it("makes as many simultaneous requests as parallel allows, and saves versions with the message", async () => {
    const names = ["a", "b", "c"];
    const { folder } = newProject("includes: [f/t/at_once_*]\nparallel: 3\nmessage: From the file\n");
    const scripts = names.map((name) => [`f/t/at_once_${name}.pg.sql`, `select '${name}'`]);
    writeFiles(folder, Object.fromEntries(scripts));
    // Each save waits until all three have arrived.
    let waiting = 0;
    const together = Promise.withResolvers<void>();
    proxy.treat(async (request): Promise<Treatment> => {
      if (!request.endsWith("scripts/create")) return "pass";
      waiting += 1;
      if (waiting === names.length) together.resolve();
      await together.promise;
      return "pass";
    });
    expect(await cli.run(["sync", "push", "--yes"], { cwd: folder, env: { ...connection(), SVC_URL: proxy.url } })).toMatchObject({
      code: 0,
    });
    for (const name of names) {
      const history = expectStatus(await ws.get(`scripts/history/p/f/t/at_once_${name}`), 200).json;
      expect(history).toMatchObject([{ deployment_msg: "From the file" }]);
    }
  });

  it("stops before the first call for a script without a lock if locksRequired is true", async () => {
    const { folder } = newProject("locksRequired: true\n");
    writeFiles(folder, { "f/t/unlocked.ts": "export const main = () => 1;" });
    // Nothing listens there, so a call would fail with another message.
    const env = { ...connection(), SVC_URL: "http://127.0.0.1:9" };
    expect(await cli.run(["sync", "push", "--yes"], { cwd: folder, env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^f\/t\/unlocked\.ts: The script has no lock\./),
    });
    expect(await cli.run(["sync", "push", "--yes", "--no-locks-required"], { cwd: folder, env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not answer"),
    });
  });
});
