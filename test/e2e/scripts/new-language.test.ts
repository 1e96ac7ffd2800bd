import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root, svcDir } from "../../../engine/paths.ts";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { newWorkspace, type Workspace, workspaceOf } from "../../support/api/workspace.ts";
import type { TestInstance } from "../../support/engine/instances.ts";

/** The name is that of an abandoned instance, so that the next run removes it if this one is killed. */
const checkout = path.join(svcDir, `test-${process.pid}-900`);

let instance: TestInstance;
beforeAll(async () => {
  copyCheckout();
  cpSync(path.join(root, "test/fixtures/toy-language"), path.join(checkout, "runners/toy"), { recursive: true });
  appendFileSync(path.join(checkout, "runners/manifests.ts"), 'export { toy } from "./toy/manifest.ts";\n');
  cpSync(path.join(root, "test/fixtures/toy-kind"), path.join(checkout, "contract/kinds/toy"), { recursive: true });
  appendFileSync(path.join(checkout, "contract/kinds/simple-kinds.ts"), 'export { toy } from "./toy/kind.ts";\n');
  const { ensureSnapshot, startFromSnapshot } = (await import(
    path.join(checkout, "test/support/engine/instances.ts")
  )) as typeof import("../../support/engine/instances.ts");
  // The snapshot that the run shares was deployed without the toy language and the toy kind.
  instance = await startFromSnapshot(await ensureSnapshot());
});
afterAll(async () => {
  await instance?.stop();
  rmSync(checkout, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** Copies the sources. Installed packages and tools are linked, because they do not change with a language. */
function copyCheckout(): void {
  const left = new Set([".git", ".svc", "cdk.out", "dist", "node_modules"]);
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(path.join(root, name), path.join(checkout, name), { recursive: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  mkdirSync(path.join(checkout, ".svc"));
  for (const name of readdirSync(svcDir)) {
    const state = /^(test-|local|bench)|\.(lock|log|json)$/.test(name);
    if (!state) symlinkSync(path.join(svcDir, name), path.join(checkout, ".svc", name));
  }
  // The pages are the same, so they need not be built again.
  const pages = path.join(root, "dist/web");
  if (existsSync(pages)) cpSync(pages, path.join(checkout, "dist/web"), { recursive: true });
}

it("a language that is one folder and one line in the list of manifests is saved, built and run", async () => {
  const workspace = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  const hash = await workspace.saveScript({ path: "f/t/toy", language: "toy", content: "echo name" });
  expect((await workspace.get(`scripts/deployment_status/h/${hash}`)).json).toMatchObject({ lock: "" });
  expect(await workspace.runWait("f/t/toy", { name: "Ada" })).toMatchObject({ status: 200, json: "Ada" });
});

describe("a kind of stored objects that is one folder and one line in the list of simple kinds", () => {
  let workspace: Workspace;
  let project: string;
  beforeAll(async () => {
    workspace = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
    project = mkdtempSync(path.join(tmpdir(), "svc-e2e-toy-"));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  /** Runs the command line of the copy. */
  const svc = async (...args: string[]) => {
    const env = {
      PATH: process.env["PATH"],
      HOME: project,
      SVC_URL: instance.url,
      SVC_TOKEN: instance.admin.token,
      SVC_WORKSPACE: workspace.id,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(checkout, "cli/main.ts"), ...args], { cwd: project, env });
    return stdout;
  };

  it("is saved, listed, changed, renamed and deleted, and refuses what its definition refuses", async () => {
    expect(await workspace.post("toys/create", { path: "f/t/a", text: "one" })).toMatchObject({ status: 201 });
    expect(await workspace.post("toys/create", { path: "f/t/a", text: "two" })).toMatchObject({ status: 409 });
    expect(await workspace.post("toys/create", { path: "f/t/b", text: 1 })).toMatchObject({ status: 422 });
    expect(await workspace.post("toys/create", { path: "f/none/b", text: "b" })).toMatchObject({ status: 400 });
    expect(await workspace.post("toys/update/f/t/a", { path: "f/t/b", count: 2 })).toMatchObject({ status: 200 });
    expect((await workspace.get("toys/get/f/t/b")).json).toMatchObject({
      path: "f/t/b",
      text: "one",
      count: 2,
      workspace_id: workspace.id,
    });
    expect(await workspace.get("toys/get/f/t/a")).toMatchObject({ status: 404 });
    const headers = { "If-Match": (await workspace.get("toys/get/f/t/b")).headers.get("etag") ?? "" };
    const update = () => workspace.call("POST", "toys/update/f/t/b", { body: { count: 2 }, headers });
    expect(await update()).toMatchObject({ status: 200 });
    expect(await update()).toMatchObject({ status: 409 });
    expect((await workspace.get("toys/list", { path_start: "f/t/" })).json).toMatchObject([{ path: "f/t/b" }]);
    expect(await workspace.call("DELETE", "toys/delete/f/t/b")).toMatchObject({ status: 200 });
    expect((await workspace.get("toys/exists/f/t/b")).json).toBe(false);
    const operations = (await workspace.get("audit/list")).json as { operation: string; resource?: string }[];
    expect(operations.filter(({ resource }) => resource === "f/t/b").map(({ operation }) => operation)).toContain("toys.delete");
  });

  it("is shared with one user, and is hidden from others and outside of a token's scope", async () => {
    const [ann, bob] = await Promise.all([member(workspace, "ann"), member(workspace, "bob")]);
    await workspace.post("toys/create", { path: "f/t/shared", text: "x" });
    expect(await workspace.post("acls/add/toy/f/t/shared", { owner: `u/${ann.username}`, write: true })).toMatchObject({ status: 200 });
    expect(await ann.in(workspace).post("toys/update/f/t/shared", { text: "changed" })).toMatchObject({ status: 200 });
    expect(await bob.in(workspace).get("toys/get/f/t/shared")).toMatchObject({ status: 404 });
    expect((await bob.in(workspace).get("toys/list")).json).toEqual([]);
    const scoped = (await ann.api.post("users/tokens/create", { label: "toys", scopes: ["toys:read:f/t/shared"] })).text;
    const reader = workspaceOf(api({ url: instance.url, token: scoped }), workspace.id);
    expect((await reader.get("toys/get/f/t/shared")).json).toMatchObject({ text: "changed", extra_perms: { [`u/${ann.username}`]: true } });
    expect(await reader.post("toys/update/f/t/shared", { text: "z" })).toMatchObject({ status: 403 });
  });

  it("is pulled and pushed as a file, and has commands", async () => {
    await svc("init");
    await svc("sync", "pull", "--yes");
    const file = path.join(project, "f/t/shared.toy.yaml");
    expect(readFileSync(file, "utf8")).toContain("text: changed");
    writeFileSync(file, readFileSync(file, "utf8").replace("text: changed", "text: pushed"));
    writeFileSync(path.join(project, "f/t/new.toy.yaml"), "text: created\n");
    expect(JSON.parse(await svc("sync", "push", "--yes", "--json"))).toMatchObject({
      changes: [
        { type: "create", kind: "toy", path: "f/t/new" },
        { type: "change", kind: "toy", path: "f/t/shared" },
      ],
    });
    expect(JSON.parse(await svc("toy", "list", "--json"))).toMatchObject([{ text: "created" }, { text: "pushed" }]);
    await svc("toy", "delete", "f/t/new", "--yes");
    await svc("sync", "pull", "--yes");
    expect(existsSync(path.join(project, "f/t/new.toy.yaml"))).toBe(false);
  });
});
