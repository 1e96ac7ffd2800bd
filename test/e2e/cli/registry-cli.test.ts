import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toFiles } from "../../../core/sync/files/layout.ts";
import { fieldsOf, type SyncItem } from "../../../core/sync/item.ts";
import { api, shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { withoutOptionalFields } from "../../support/cli/absent-fields.ts";
import { type EveryFieldWorkspace, itemsOfRegistryCli, itemsWithEveryField } from "../../support/cli/every-field.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

/**
 * The command line of another product of this family of APIs, as its registry has it. A newer version may call other routes, so the version is
 * fixed.
 */
const PACKAGE = "windmill-cli@1.819.0";

let ws: Workspace;
let svc: InstalledCli;
let home: string;
beforeAll(async () => {
  [ws, svc] = await Promise.all([newWorkspace(), installCli()]);
  home = mkdtempSync(join(tmpdir(), "svc-registry-cli-"));
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await promisify(execFile)("npm", ["install", "--prefix", home, ...flags, PACKAGE], { cwd: home });
  await run(home, "workspace", "add", ws.id, ws.id, `${shared().url}/`, "--token", shared().token);
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  svc?.remove();
});

/** Runs a command and returns what it prints. */
async function run(folder: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), NO_COLOR: "1" };
  const { stdout, stderr } = await promisify(execFile)(join(home, "node_modules/.bin/wmill"), args, { cwd: folder, env });
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

const CONFIG = "defaultTs: bun\nincludes: [f/**]\nexcludes: []\nincludeSchedules: true\nsyncBehavior: v1\n";
const files: Record<string, string> = {
  "wmill.yaml": CONFIG,
  "f/t/folder.meta.yaml": "summary: T\ndisplay_name: T\nowners: []\nextra_perms: {}\n",
  "f/t/greet.ts": "export async function main(name: string) {\n  return { hello: name };\n}\n",
  "f/t/two.flow/flow.yaml":
    "summary: Two\ndescription: ''\nvalue:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        content: '!inline a.inline_script.ts'\n        input_transforms: {x: {type: static, value: 3}}\n        language: bun\nschema: {type: object, properties: {}, required: []}\n",
  "f/t/two.flow/a.inline_script.ts": "export const main = (x: number) => x * 2;\n",
  "f/t/name.variable.yaml": "value: v\nis_secret: false\ndescription: ''\n",
  "f/t/db.resource.yaml": "description: ''\nvalue:\n  host: h\nresource_type: any\n",
  "f/t/daily.schedule.yaml":
    "summary: Daily\nschedule: 0 0 0 * * *\ntimezone: UTC\nenabled: false\nscript_path: f/t/greet\nis_flow: false\nargs: {name: x}\n",
};

function newFolder(name: string, content: Record<string, string>): string {
  const folder = join(home, name);
  for (const [file, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const INCLUDED = ["Triggers", "Groups", "Users", "Settings", "Key"].map((name) => `include${name}: true\n`).join("");
const FULL_CONFIG = `${CONFIG.replace("f/**", "f/full/**")}${INCLUDED}`;

const filesOf = (items: readonly SyncItem[]): Record<string, string> =>
  Object.fromEntries(items.flatMap((item) => [...toFiles(item, { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} })]));

/** The files of a folder without what a command line remembers. Times have quotes in the files of only one of the two. */
const readFiles = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.svc|-lock\.yaml$/.test(join(entry.parentPath, entry.name)))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, "utf8").replace(/'(\d{4}-\d\d-\d\dT[\d:]+Z)'/, "$1")]),
  );

/** Creates a queue that a workspace may read, and returns what the items of the workspace name. */
async function prepare(at: Workspace): Promise<EveryFieldWorkspace> {
  const { username, email } = (await at.get("users/whoami")).json as { username: string; email: string };
  const queue = { QueueName: `full-${at.id}`, tags: { "svc:workspace": at.id } };
  const { QueueUrl: queueUrl = "" } = await awsClients().sqs.send(new CreateQueueCommand(queue));
  return { id: at.id, username, email, queueUrl };
}

/** Waits for the builds of all scripts. */
async function buildsOf(at: Workspace, items: readonly SyncItem[]): Promise<void> {
  for (const { path } of items.filter(({ kind }) => kind === "script")) {
    const { hash } = (await at.get(`scripts/get/p/${path}`)).json as { hash: string };
    const isBuilt = async () => ((await at.get(`scripts/deployment_status/h/${hash}`)).json as { lock?: string }).lock !== undefined;
    await until(isBuilt, { timeoutMs: 120_000, what: `the build of ${path}` });
  }
}

describe("the command line of another product of this family", () => {
  it("generates locks, pushes, pushes nothing the second time, and pulls files that svc reads as the same items", async () => {
    const checkout = newFolder("checkout", files);
    expect(await run(checkout, "generate-metadata", "--yes")).toContain("Updated 2 item(s)");
    expect(await run(checkout, "sync", "push", "--yes")).toContain("changes pushed to the remote workspace");
    expect((await ws.get("scripts/get/p/f/t/greet")).json).toMatchObject({ content: files["f/t/greet.ts"] });
    expect((await ws.get("schedules/get/f/t/daily")).json).toMatchObject({ enabled: false, timezone: "UTC" });

    // A pull adds the fields that the service has set, such as the identity of the schedule.
    await run(checkout, "sync", "pull", "--yes");
    expect(await run(checkout, "sync", "push", "--yes")).toContain("0 changes to apply");
    const other = newFolder("other", { "wmill.yaml": CONFIG });
    await run(other, "sync", "pull", "--yes");
    expect(await run(other, "sync", "push", "--yes")).toContain("0 changes to apply");

    writeFileSync(join(other, "svc.yaml"), CONFIG);
    const env = { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id };
    const plan = await svc.run(["sync", "plan", "--json"], { cwd: other, env });
    expect([plan.code, JSON.parse(plan.stdout)]).toEqual([0, { changes: [] }]);
  });

  it("runs scripts and flows, previews files, and lists jobs", async () => {
    const checkout = join(home, "checkout");
    expect(await run(checkout, "script", "run", "f/t/greet", "-d", '{"name":"Ada"}')).toContain('"hello": "Ada"');
    expect(await run(checkout, "flow", "run", "f/t/two")).toContain("6");
    expect(await run(checkout, "script", "preview", "f/t/greet.ts", "-d", '{"name":"Bob"}')).toContain('"hello": "Bob"');
    expect(await run(checkout, "job", "list")).toContain("f/t/two");
  });

  it("sends every field of every kind, finds no change after the builds, and pulls what it has sent", async () => {
    const full = await newWorkspace();
    await run(home, "workspace", "add", full.id, full.id, `${shared().url}/`, "--token", shared().token);
    const wmill = (folder: string, ...args: string[]) => run(folder, ...args, "--workspace", full.id);
    const items = itemsOfRegistryCli(itemsWithEveryField(await prepare(full)));
    // `wmill` pushes the settings first, but the handlers that they name must exist.
    const checkout = newFolder("full", { "wmill.yaml": FULL_CONFIG.replace("includeSettings: true\n", ""), ...filesOf(items) });
    await wmill(checkout, "sync", "push", "--yes");
    await buildsOf(full, items);
    writeFileSync(join(checkout, "wmill.yaml"), FULL_CONFIG);
    expect(await wmill(checkout, "sync", "push", "--yes")).toContain("settings.yaml");
    expect(await wmill(checkout, "sync", "push", "--yes")).toContain("0 changes to apply");
    const other = newFolder("full-other", { "wmill.yaml": FULL_CONFIG });
    await wmill(other, "sync", "pull", "--yes");
    expect(readFiles(other)).toEqual(readFiles(checkout));
    expect(await wmill(other, "sync", "push", "--yes")).toContain("0 changes to apply");
  });
});

describe("svc", () => {
  it("sends every field of every kind, finds no change after the builds, and pulls the same bytes", async () => {
    const full = await newWorkspace();
    // With v1, files have a mark for each object that runs as a user.
    const config = FULL_CONFIG.replace("syncBehavior: v1\n", "");
    const env = { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: full.id };
    const items = itemsWithEveryField(await prepare(full));
    const checkout = newFolder("svc-full", { "svc.yaml": config, ...filesOf(items) });
    expect(await svc.run(["sync", "push", "--yes", "--wait"], { cwd: checkout, env })).toMatchObject({ code: 0 });
    const settings = fieldsOf(items.find(({ kind }) => kind === "settings"));
    expect((await full.get("workspaces/get_settings")).json).toEqual({ workspace_id: full.id, ...settings });
    const plan = await svc.run(["sync", "plan", "--json"], { cwd: checkout, env });
    expect([plan.code, JSON.parse(plan.stdout)]).toEqual([0, { changes: [] }]);
    const other = newFolder("svc-full-other", { "svc.yaml": config });
    for (const folder of [checkout, other])
      expect(await svc.run(["sync", "pull", "--yes"], { cwd: folder, env })).toMatchObject({ code: 0 });
    expect(readFiles(checkout)).toMatchObject(readFiles(newFolder("svc-full-sent", filesOf(items))));
    expect(readFiles(other)).toEqual(readFiles(checkout));
    for (const { path, value, kind } of items.filter((item) => item.kind === "script" || item.kind === "flow")) {
      const { extra_perms, ...fields } = fieldsOf({ value });
      expect((await full.get(`${kind}s/get/${kind === "script" ? "p/" : ""}${path}`)).json).toMatchObject(fields);
    }
  });

  it("finds no change if files lack all optional fields, and none after those are removed from files", async () => {
    const full = await newWorkspace();
    const known = await prepare(full);
    const every = itemsWithEveryField(known).filter(({ kind }) => kind !== "encryption_key" && kind !== "dependencies");
    const [settings, others] = [every.filter(({ kind }) => kind === "settings"), every.filter(({ kind }) => kind !== "settings")];
    const queues = new Set<string>();
    const queueOf = (name: string) => {
      queues.add(`${name}-${full.id}`);
      return known.queueUrl.replace(/[^/]+$/, `${name}-${full.id}`);
    };
    const countFields = (item: SyncItem) => Object.keys(fieldsOf(item)).length;
    const largest = [...Map.groupBy(others, ({ kind }) => kind).values()].flatMap(
      (some) => some.toSorted((a, b) => countFields(b) - countFields(a))[0] ?? [],
    );
    const copy = (prefix: string) => largest.map((item) => withoutOptionalFields(item, prefix, queueOf));
    const [lacking, losing] = [copy("new"), copy("old")];
    for (const QueueName of queues) await awsClients().sqs.send(new CreateQueueCommand({ QueueName, tags: { "svc:workspace": full.id } }));
    const named = settings.map((item) => ({ ...item, value: { name: full.id } }));
    const env = { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: full.id };
    const config = `${FULL_CONFIG.replace("syncBehavior: v1\n", "parallel: 8\n").replace("f/full/**", "f/**")}skipWorkspaceDependencies: true\n`;
    const withoutKey = config.replace("includeKey: true\n", "");
    const push = async (items: readonly SyncItem[]) => {
      // A script with modules has a folder, and without them it has none.
      rmSync(join(home, "svc-absent/f"), { recursive: true, force: true });
      const checkout = newFolder("svc-absent", { "svc.yaml": withoutKey, ...filesOf(items) });
      const pushed = await svc.run(["sync", "push", "--yes"], { cwd: checkout, env });
      expect([pushed.code, pushed.code === 0 ? "" : pushed.stderr.replace(/^ .*\n/gm, "")]).toEqual([0, ""]);
      const plan = await svc.run(["sync", "plan", "--json"], { cwd: checkout, env });
      expect([plan.code, JSON.parse(plan.stdout)]).toEqual([0, { changes: [] }]);
    };
    const added = lacking.map(({ partial }) => partial);
    const needed = others.filter(({ path }) => !path.startsWith("f/full/lock_"));
    await push([...needed, ...settings, ...added, ...losing.map(({ complete }) => complete)]);
    await push([...needed, ...named, ...added, ...losing.map(({ partial }) => partial)]);
  });
});
