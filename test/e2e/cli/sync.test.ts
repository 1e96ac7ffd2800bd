import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import type { Cli } from "../../support/cli/installed-cli.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: Cli;
let ws: Workspace;
let checkout: string;
beforeAll(async () => {
  cli = cliHere();
  ws = await newWorkspace();
  checkout = cli.newFolder();
});
afterAll(() => cli?.remove());

const svc = (args: string[], cwd = checkout, env: Record<string, string> = {}) => cli.run(args, { cwd, env });
const write = (file: string, text: string, folder = checkout) => writeFiles(folder, { [file]: text });
const read = (file: string, folder = checkout) => readFileSync(join(folder, file), "utf8");
/** The files of a folder with their contents, without what `svc` remembers. */
const treeOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".svc"))
    .map((entry) => [join(entry.parentPath, entry.name).slice(folder.length), readFileSync(join(entry.parentPath, entry.name), "utf8")])
    .sort();
const planOf = async (args: string[] = [], folder = checkout) => {
  const { stdout, code, stderr } = await svc(["sync", "plan", "--json", ...args], folder);
  expect([code, stderr.includes("Error")]).toEqual([0, false]);
  return (JSON.parse(stdout) as { changes: { type: string; kind: string; path: string }[] }).changes.map(
    ({ type, kind, path }) => `${type} ${kind} ${path}`,
  );
};

describe("svc", () => {
  it("logs in with a token, and stores it for its owner alone", async () => {
    const login = await cli.run(["login", api().url, "--with-token", "--workspace", ws.id], { cwd: checkout, stdin: api().token });
    expect(login).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(join(cli.folder, "config/profiles.json")).mode & 0o777).toBe(0o600);
    const whoami = await svc(["workspace", "whoami", "--json"]);
    expect(JSON.parse(whoami.stdout)).toMatchObject({ url: api().url, workspace: ws.id, profile: ws.id });
  });

  it("writes svc.yaml, and stops without one", async () => {
    expect(await svc(["sync", "pull"])).toMatchObject({ code: 2, stderr: expect.stringContaining("svc init") });
    expect(await svc(["init"])).toMatchObject({ code: 0 });
    expect(read("svc.yaml")).toContain(`workspaceId: ${ws.id}`);
  });

  it("pushes files, pushes nothing the second time, and pulls the same bytes into an empty folder", async () => {
    await ws.saveScript({ path: "f/t/remote", content: "echo remote", language: "bash", summary: "Remote" });
    await ws.post("variables/create", { path: "f/t/name", value: "v", is_secret: false, description: "A name" });
    await ws.post("variables/create", { path: "f/t/secret", value: "hush", is_secret: true, description: "" });
    expect(await svc(["sync", "pull", "--yes"])).toMatchObject({ code: 0 });
    expect(read("f/t/remote.sh")).toBe("echo remote");
    expect(existsSync(join(checkout, "f/t/secret.variable.yaml"))).toBe(false);

    write("f/t/hello.sh", "echo hello\n");
    write("f/t/hello.script.yaml", "summary: Hello\ndescription: ''\nlock: ''\n");
    write(
      "f/t/two.flow/flow.yaml",
      "summary: Two\nvalue:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        content: '!inline my_step.sh'\n        input_transforms: {}\n        language: bash\n",
    );
    write("f/t/two.flow/my_step.sh", "echo step\n");
    write("f/t/db.resource.yaml", "resource_type: any\nvalue:\n  host: h\n");
    expect(await planOf()).toEqual(["create resource f/t/db", "create script f/t/hello", "create flow f/t/two"]);
    const pushed = await svc(["sync", "push", "--yes", "--wait"]);
    expect(pushed).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/get/p/f/t/hello")).json).toMatchObject({ content: "echo hello\n", summary: "Hello" });
    expect((await ws.get("flows/get/f/t/two")).json).toMatchObject({ value: { modules: [{ value: { content: "echo step\n" } }] } });
    expect(await planOf()).toEqual([]);

    const second = cli.newFolder();
    write("svc.yaml", read("svc.yaml"), second);
    expect(await svc(["sync", "pull", "--yes"], second)).toMatchObject({ code: 0 });
    const third = cli.newFolder();
    write("svc.yaml", read("svc.yaml"), third);
    expect(await svc(["sync", "pull", "--yes"], third)).toMatchObject({ code: 0 });
    expect(treeOf(third)).toEqual(treeOf(second));
    expect(await planOf([], second)).toEqual([]);
  });

  it("distinguishes a conflict from a change, and stops in both directions", async () => {
    write("f/t/hello.sh", "echo here\n");
    await ws.saveScript({ path: "f/t/hello", content: "echo there\n", language: "bash", summary: "Hello" });
    await ws.saveScript({ path: "f/t/remote", content: "echo changed", language: "bash", summary: "Remote" });
    expect(await planOf()).toEqual(["conflict script f/t/hello", "skip script f/t/remote"]);
    expect(await svc(["sync", "push", "--yes"])).toMatchObject({ code: 1, stderr: expect.stringContaining("both sides") });
    expect(await svc(["sync", "pull", "--yes"])).toMatchObject({ code: 1, stderr: expect.stringContaining("echo there") });
    expect(read("f/t/hello.sh")).toBe("echo here\n");
    expect(await svc(["sync", "pull", "--yes", "--force"])).toMatchObject({ code: 0 });
    expect([read("f/t/hello.sh"), read("f/t/remote.sh")]).toEqual(["echo there\n", "echo changed"]);
    expect(await planOf()).toEqual([]);
  });

  it("undoes the last push for items that have not changed since, and names the others", async () => {
    write("f/t/hello.sh", "echo pushed\n");
    write("f/t/remote.sh", "echo pushed");
    write("f/t/name.variable.yaml", read("f/t/name.variable.yaml").replace("value: v", "value: w"));
    expect(await svc(["sync", "push", "--yes"])).toMatchObject({ code: 0 });
    await ws.saveScript({ path: "f/t/remote", content: "echo later", language: "bash", summary: "Remote" });
    const undone = await svc(["sync", "undo", "--yes"]);
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringContaining("leave script f/t/remote") });
    expect((await ws.get("scripts/get/p/f/t/hello")).json).toMatchObject({ content: "echo there\n" });
    expect((await ws.get("scripts/get/p/f/t/remote")).json).toMatchObject({ content: "echo later" });
    expect((await ws.get("variables/get_value/f/t/name")).json).toBe("v");
    expect(await planOf()).toEqual(["change variable f/t/name", "change script f/t/hello", "skip script f/t/remote"]);
    expect(await svc(["sync", "pull", "--yes", "--force"])).toMatchObject({ code: 0 });
  });

  it("deletes variables and resources only on request", async () => {
    rmSync(join(checkout, "f/t/db.resource.yaml"));
    rmSync(join(checkout, "f/t/remote.sh"));
    rmSync(join(checkout, "f/t/remote.script.yaml"));
    const kept = await svc(["sync", "push", "--yes"]);
    expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining("skip resource f/t/db (it has no file here") });
    expect((await ws.get("resources/exists/f/t/db")).json).toBe(true);
    expect((await ws.get("scripts/exists/p/f/t/remote")).json).toBe(false);
    expect(await svc(["sync", "push", "--yes", "--prune-secrets"])).toMatchObject({ code: 0 });
    expect((await ws.get("resources/exists/f/t/db")).json).toBe(false);
  });

  it("applies only the items of a plan, and stops if one of them has changed since", async () => {
    write("f/t/hello.sh", "echo planned\n");
    expect(await svc(["sync", "plan", "-o", "plan.json", "--exit-code"])).toMatchObject({ code: 3 });
    write("f/t/name.variable.yaml", read("f/t/name.variable.yaml").replace("value: v", "value: x"));
    write("f/t/hello.sh", "echo moved\n");
    expect(await svc(["sync", "push", "--yes", "--plan", "plan.json"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("these items have changed since: script f/t/hello."),
    });
    write("f/t/hello.sh", "echo planned\n");
    expect(await svc(["sync", "push", "--yes", "--plan", "plan.json"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("skip variable f/t/name (it is not part of the plan)"),
    });
    expect((await ws.get("scripts/get/p/f/t/hello")).json).toMatchObject({ content: "echo planned\n" });
    expect((await ws.get("variables/get_value/f/t/name")).json).not.toBe("x");
    expect(await planOf()).toEqual(["change variable f/t/name"]);
    expect(await svc(["sync", "push", "--yes"])).toMatchObject({ code: 0 });
  });

  it("reports broken files with their places before any call", async () => {
    const folder = cli.newFolder();
    // Nothing listens there, so a call would fail with another message.
    const env = { SVC_URL: "http://127.0.0.1:9", SVC_TOKEN: "t", SVC_WORKSPACE: "w" };
    write("svc.yaml", "includs: []\n", folder);
    expect(await svc(["sync", "push", "--yes"], folder, env)).toMatchObject({
      code: 2,
      stderr: 'svc.yaml:1:1: there is no property "includs" here. Did you mean includes?\n',
    });
    write("svc.yaml", "", folder);
    write("f/a/b.variable.yaml", "value: [\n", folder);
    write("f/a/c.ts", "", folder);
    write("f/a/c.py", "", folder);
    symlinkSync("/etc/hostname", join(folder, "f/a/d.ts"));
    const { code, stderr } = await svc(["sync", "push", "--yes"], folder, env);
    expect(code).toBe(2);
    expect(
      stderr
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(":")[0])
        .sort(),
    ).toEqual(["f/a/b.variable.yaml", "f/a/c.ts", "f/a/d.ts"]);
  });

  it("names the profile and the remedy if the token is not valid, and changes no file for an unknown workspace", async () => {
    const refused = await svc(["sync", "pull", "--yes"], checkout, { SVC_TOKEN: "nonsense" });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("svc login") });
    const before = read("f/t/hello.sh");
    const unknown = await svc(["sync", "pull", "--yes", "--workspace", "no-such-workspace"]);
    expect(unknown.code).not.toBe(0);
    expect(read("f/t/hello.sh")).toBe(before);
  });

  it("pulls only what a member may read, and refuses the settings", async () => {
    const bob = await member(ws, "bob");
    const folder = cli.newFolder();
    write("svc.yaml", "{}\n", folder);
    const env = { SVC_URL: api().url, SVC_TOKEN: bob.api.token, SVC_WORKSPACE: ws.id };
    expect(await svc(["sync", "pull", "--yes"], folder, env)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "f/t/hello.sh"))).toBe(false);
    expect(await svc(["sync", "pull", "--yes", "--include-settings"], folder, env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("getSettings"),
    });
  });

  it("asks nothing without a terminal", async () => {
    write("f/t/hello.sh", "echo unconfirmed\n");
    expect(await svc(["sync", "push"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await svc(["sync", "push", "--dry-run"])).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/get/p/f/t/hello")).json).toMatchObject({ content: "echo planned\n" });
  });

  it("runs a script, with its log on stderr and its result on stdout, and fails with a failed run", async () => {
    await ws.saveScript({
      path: "f/t/add",
      language: "bun",
      content: "export function main(a: number) { console.log('adding'); if (a < 0) throw new Error('negative'); return { sum: a + 1 }; }",
    });
    const ran = await svc(["script", "run", "f/t/add", "-d", '{"a":1}']);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("adding") });
    expect(JSON.parse(ran.stdout)).toEqual({ sum: 2 });
    const failed = await svc(["script", "run", "f/t/add", "-d", '{"a":-1}']);
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("Error: negative") });
    const lines = (await svc(["script", "run", "f/t/add", "-d", '{"a":1}', "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id?: string });
    expect(lines.at(-1)).toMatchObject({ success: true, result: { sum: 2 } });
    const result = await svc(["job", "result", lines.at(-1)?.id ?? ""]);
    expect(JSON.parse(result.stdout)).toEqual({ sum: 2 });
    expect(await svc(["script", "run", "f/t/add", "-d", "[]"])).toMatchObject({ code: 2 });
  });

  it("finds problems of files with lint", async () => {
    expect(await svc(["lint"])).toMatchObject({ code: 0 });
    write(
      "f/t/broken.flow/flow.yaml",
      "value: {modules: [{id: a, value: {type: rawscript, content: '!inline gone.sh', language: bash}}]}\n",
    );
    expect(await svc(["lint"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The file f/t/broken.flow/gone.sh does not exist"),
    });
  });
});
