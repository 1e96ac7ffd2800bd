import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";

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
});
