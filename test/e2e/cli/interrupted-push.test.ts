import { cpSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { type ServiceProxy, startServiceProxy, type Treatment } from "../../support/cli/service-proxy.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: InstalledCli;
let proxy: ServiceProxy;
let ws: Workspace;
beforeAll(async () => {
  [cli, proxy, ws] = await Promise.all([installCli(), startServiceProxy(), newWorkspace()]);
});
afterAll(() => {
  proxy?.close();
  cli?.remove();
});

const envAt = (url: string) => ({ SVC_URL: url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id });
const throughProxy = (cwd: string, ...args: string[]) => cli.run(args, { cwd, env: envAt(proxy.url) });
const direct = (cwd: string, ...args: string[]) => cli.run(args, { cwd, env: envAt(api().url) });

const start = (cwd: string, ...args: string[]) => cli.start(args, { cwd, env: envAt(proxy.url) });

/** Creates a checkout that contains the files alone and was never synchronised. */
function newCheckout(files: Record<string, string>): string {
  const folder = cli.newFolder();
  writeFiles(folder, { "svc.yaml": "skipFolders: true\n", ...files });
  return folder;
}

const variables = (prefix: string, value: string) =>
  Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((name) => [
      `f/t/${prefix}_${name}.variable.yaml`,
      `value: ${value}\nis_secret: false\ndescription: ''\n`,
    ]),
  );
const valuesOf = (prefix: string) =>
  Promise.all(["a", "b", "c", "d", "e"].map(async (name) => (await ws.get(`variables/get_value/f/t/${prefix}_${name}`)).json));
const sql = (path: string, content: string) => ({
  [`${path}.pg.sql`]: content,
  [`${path}.script.yaml`]: "summary: ''\ndescription: ''\nlock: ''\n",
});

/** Passes some requests that match, and cuts the connection of those after them. */
function cutAfter(count: number, matches: RegExp): void {
  let left = count;
  proxy.treat((request) => {
    if (!matches.test(request)) return "pass";
    left -= 1;
    return left < 0 ? "cut" : "pass";
  });
}

/** Holds the next request that matches, and resolves when it has arrived. */
function holdNext(matches: RegExp): { arrived: Promise<void>; release: () => void } {
  const arrival = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let isHeld = false;
  proxy.treat(async (request): Promise<Treatment> => {
    if (isHeld || !matches.test(request)) return "pass";
    isHeld = true;
    arrival.resolve();
    await release.promise;
    return "pass";
  });
  return { arrived: arrival.promise, release: release.resolve };
}

describe("an interrupted push", () => {
  it.each([
    ["creates items", "new", undefined],
    ["changes items of a checkout that was never synchronised", "old", "before"],
  ])("names what is done and what is not, and the same command continues, if it %s", async (_, prefix, before) => {
    if (before !== undefined)
      expect(await direct(newCheckout(variables(prefix, before)), "sync", "push", "--yes")).toMatchObject({ code: 0 });
    const folder = newCheckout({ "svc.yaml": `includes: [f/t/${prefix}_*]\nskipFolders: true\n`, ...variables(prefix, "after") });
    cutAfter(2, /POST .*variables/);
    const broken = await throughProxy(folder, "sync", "push", "--yes");
    expect(broken).toMatchObject({ code: 1, stdout: "" });
    const type = before === undefined ? "create" : "change";
    const line = (name: string) => `  ${type} variable f/t/${prefix}_${name}`;
    expect(broken.stderr).toContain(["Done (2):", line("a"), line("b"), "Not done (3):", line("c"), line("d"), line("e")].join("\n"));
    expect(broken.stderr).toContain("does not answer");
    expect(broken.stderr).toContain("Run the same command again to continue.");

    proxy.treat(() => "pass");
    const continued = await throughProxy(folder, "sync", "push", "--yes");
    expect(continued).toMatchObject({ code: 0, stderr: expect.stringContaining(`3 to ${type}`) });
    expect(await valuesOf(prefix)).toEqual(Array.from({ length: 5 }, () => "after"));
    expect(await direct(folder, "sync", "plan", "--exit-code")).toMatchObject({ code: 0 });
  });

  it("continues after its process was killed", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/killed_*]\nskipFolders: true\n", ...variables("killed", "after") });
    let saves = 0;
    const third = Promise.withResolvers<void>();
    proxy.treat((request) => {
      if (!/POST .*variables/.test(request)) return "pass";
      saves += 1;
      if (saves < 3) return "pass";
      third.resolve();
      return new Promise(() => undefined);
    });
    const push = start(folder, "sync", "push", "--yes");
    await third.promise;
    push.kill("SIGKILL");
    expect(await push.end).toMatchObject({ code: null, signal: "SIGKILL" });

    const continued = await direct(folder, "sync", "push", "--yes");
    expect(continued).toMatchObject({ code: 0, stderr: expect.stringContaining("3 to create") });
    expect(await valuesOf("killed")).toEqual(Array.from({ length: 5 }, () => "after"));
  });

  it("ends after the current requests if its process is interrupted", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/stopped_*]\nskipFolders: true\n", ...variables("stopped", "after") });
    const { arrived, release } = holdNext(/POST .*variables/);
    const push = start(folder, "sync", "push", "--yes");
    await arrived;
    push.kill("SIGINT");
    await push.text(/Stopping after the requests that are under way\./);
    release();
    const stopped = await push.end;
    expect(stopped).toMatchObject({ code: 130, signal: null });
    expect(stopped.stderr).toContain("  create variable f/t/stopped_a\nNot done (4):");
    expect(await direct(folder, "sync", "push", "--yes")).toMatchObject({ code: 0, stderr: expect.stringContaining("4 to create") });
    expect(await valuesOf("stopped")).toEqual(Array.from({ length: 5 }, () => "after"));
  });

  it("saves an item once if the reply to its save is lost", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/lost]\nskipFolders: true\n", ...sql("f/t/lost", "select 1") });
    let isLost = false;
    proxy.treat((request) => {
      if (isLost || !request.endsWith("scripts/create")) return "pass";
      isLost = true;
      return "lose";
    });
    expect(await throughProxy(folder, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/history/p/f/t/lost")).json).toHaveLength(1);
  });

  it("retries requests that are refused temporarily, after the time that the service names", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/busy_*]\nskipFolders: true\n", ...variables("busy", "after") });
    const refusals = [429, 503].map((status) => ({ status, headers: { "retry-after": "0.01" } }));
    proxy.treat((request) => (request.startsWith("POST") ? (refusals.shift() ?? "pass") : "pass"));
    const pushed = await throughProxy(folder, "sync", "push", "--yes", "--verbose");
    expect(pushed).toMatchObject({ code: 0 });
    expect(pushed.stderr.match(/^(429|503), again in 0\.0 s$/gm)).toHaveLength(2);
    expect(await valuesOf("busy")).toEqual(Array.from({ length: 5 }, () => "after"));
  });
});

describe("two pushes at once", () => {
  it("the push that saves a script second is in conflict, even if it planned first", async () => {
    const first = newCheckout({ "svc.yaml": "includes: [f/t/both]\nskipFolders: true\n", ...sql("f/t/both", "select 1") });
    expect(await direct(first, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    const second = cli.newFolder();
    cpSync(first, second, { recursive: true });
    writeFiles(first, { "f/t/both.pg.sql": "select 'first'" });
    writeFiles(second, { "f/t/both.pg.sql": "select 'second'" });

    const { arrived, release } = holdNext(/scripts\/create/);
    const slow = throughProxy(second, "sync", "push", "--yes");
    await arrived;
    expect(await direct(first, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    release();
    expect(await slow).toMatchObject({ code: 1, stderr: expect.stringContaining("The script f/t/both is in conflict") });
    expect((await ws.get("scripts/get/p/f/t/both")).json).toMatchObject({ content: "select 'first'" });

    const again = await direct(second, "sync", "push", "--yes");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("! conflict script f/t/both") });
    expect(await direct(second, "sync", "push", "--yes", "--force")).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/get/p/f/t/both")).json).toMatchObject({ content: "select 'second'" });
  });

  it("a variable that another client has saved since the plan is in conflict", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/held_*]\nskipFolders: true\n", ...variables("held", "before") });
    expect(await direct(folder, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    const name = Object.keys(variables("held", "after"))[0] ?? "";
    const path = name.replace(".variable.yaml", "");
    writeFiles(folder, { [name]: variables("held", "after")[name] ?? "" });

    const { arrived, release } = holdNext(/variables\/update/);
    const slow = throughProxy(folder, "sync", "push", "--yes");
    await arrived;
    expect((await ws.post(`variables/update/${path}`, { value: "theirs" })).status).toBe(200);
    release();
    expect(await slow).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`The variable ${path} is in conflict.* changed it at`)),
    });
    expect((await ws.get(`variables/get_value/${path}`)).json).toBe("theirs");
    expect(await direct(folder, "sync", "push", "--yes", "--force")).toMatchObject({ code: 0 });
    expect((await ws.get(`variables/get_value/${path}`)).json).toBe("after");
  });

  it("a script that another client has created since the plan is in conflict", async () => {
    const folder = newCheckout({ "svc.yaml": "includes: [f/t/created]\nskipFolders: true\n", ...sql("f/t/created", "select 'mine'") });
    const { arrived, release } = holdNext(/scripts\/create/);
    const slow = throughProxy(folder, "sync", "push", "--yes");
    await arrived;
    await ws.saveScript({ path: "f/t/created", content: "select 'theirs'", language: "postgresql" }, false);
    release();
    expect(await slow).toMatchObject({ code: 1, stderr: expect.stringContaining("The script f/t/created is in conflict") });
    expect((await ws.get("scripts/get/p/f/t/created")).json).toMatchObject({ content: "select 'theirs'" });
  });

  it("a push that plans after the other one finds the conflicts", async () => {
    const first = newCheckout({ "svc.yaml": "includes: [f/t/later_*]\nskipFolders: true\n", ...variables("later", "before") });
    expect(await direct(first, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    const second = cli.newFolder();
    cpSync(first, second, { recursive: true });
    writeFiles(first, variables("later", "first"));
    writeFiles(second, variables("later", "second"));
    expect(await direct(first, "sync", "push", "--yes")).toMatchObject({ code: 0 });
    expect(await direct(second, "sync", "push", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("5 items changed on both sides. Nothing was changed."),
    });
    expect(await valuesOf("later")).toEqual(Array.from({ length: 5 }, () => "first"));
  });
});
