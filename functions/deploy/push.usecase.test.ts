import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assets } from "../../aws/s3/assets.ts";
import { s3 } from "../../aws/sdk/clients.ts";
import { buildCli } from "../../cli/build.ts";
import { type DeployedItem, type Deployment, ITEMS_FILE } from "../../contract/deployment/deployment.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { expectStatus, type Workspace, workspaceOf } from "../../test/support/api/workspace.ts";
import { type Server, type Service, serve, startService } from "../../test/support/use-cases/service.ts";
import { type PushDeps, pushDeployment } from "./push.ts";

let service: Service;
let server: Server;
let ws: Workspace;
let deps: PushDeps;
let cli: string;
const returns = (text: string) => `export const main = () => "${text}";`;
beforeAll(async () => {
  cli = mkdtempSync(join(tmpdir(), "svc-deploy-"));
  buildCli(cli);
  service = await startService(["api", "run", "jobs", "objects", "people", "triggers", "sync"]);
  server = await serve(service);
  ws = service.ws;
  const { objects, storage } = service.world.deps;
  const identity = { objects, nowMs: Date.now, instanceEventsUrl: undefined };
  deps = { identity, storage, assets, url: server.url, cli: join(cli, "dist/svc.mjs") };
  await ws.saveScript({ path: "f/t/own", content: returns("own"), language: "bun" });
  await deploy({ ...script("f/t/a", "a1"), ...script("f/t/b", "b1") });
}, 120_000);
afterAll(async () => {
  rmSync(cli, { recursive: true, force: true });
  server?.close();
  await service?.close();
});

const bucket = () => requireEnv(env.bucket);
let uploads = 0;
/** Uploads files as CDK does, and describes their deployment. */
async function upload(files: Record<string, string>, id = "Folder", workspace = ws.id): Promise<Deployment> {
  uploads += 1;
  const objectKey = `files/deployment-test-${process.pid}-${uploads}.zip`;
  const Body = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  await s3().send(new PutObjectCommand({ Bucket: bucket(), Key: objectKey, Body }));
  return { workspace, bucket: bucket(), objectKey, id, removes: "true" };
}
const deploy = async (files: Record<string, string>, id?: string) =>
  pushDeployment(deps, await upload(files, id), false, Date.now() + 90_000);
const remove = async (files: Record<string, string>, id?: string) =>
  pushDeployment(deps, await upload(files, id), true, Date.now() + 90_000);
/** The files of a script that returns a text. */
const script = (path: string, text: string) => ({
  [`${path}.ts`]: returns(text),
  [`${path}.script.yaml`]: "summary: ''\ndescription: ''\nlock: ''\n",
});
const read = async (path: string) => (await ws.get(`scripts/get/p/${path}`)).json as Record<string, unknown>;
const contentOf = async (path: string) => (await read(path))["content"];
const isArchived = async (path: string) => (await ws.get(`scripts/get/p/${path}`)).status === 404;

describe("the files of an app", () => {
  it("change nothing the second time, and replace or archive what the app has changed, even if the member deployment was removed", async () => {
    const before = (await read("f/t/a"))["hash"];
    await deploy({ ...script("f/t/a", "a1"), ...script("f/t/b", "b1") });
    expect((await read("f/t/a"))["hash"]).toBe(before);
    expectStatus(await ws.call("DELETE", "users/delete/deployment"), 200);
    await deploy(script("f/t/a", "a2"));
    expect([await contentOf("f/t/a"), await isArchived("f/t/b"), await isArchived("f/t/own")]).toEqual([returns("a2"), true, false]);
  });

  it("do not replace what someone has changed in the workspace: the deployment fails, and the previous one can be restored", async () => {
    await ws.saveScript({ path: "f/t/a", content: returns("by hand"), language: "bun" });
    await deploy({ ...script("f/t/a", "a2"), ...script("f/t/c", "c") });
    expect([await contentOf("f/t/a"), await contentOf("f/t/c")]).toEqual([returns("by hand"), returns("c")]);
    await expect(deploy(script("f/t/a", "a3"))).rejects.toThrow("changed on both sides");
    // CloudFormation rolls back with the files of the last deployment.
    await deploy({ ...script("f/t/a", "a2"), ...script("f/t/c", "c") });
    expect(await contentOf("f/t/a")).toBe(returns("by hand"));
  });

  it("fail the deployment with the reason, and the previous files replace the new ones", async () => {
    await deploy(script("f/t/d", "d1"), "Failing");
    const broken = { ...script("f/t/d", "d2"), "f/t/e.flow/flow.yaml": "summary: ''\nvalue:\n  modules: wrong\n" };
    await expect(deploy(broken, "Failing")).rejects.toThrow(/f\/t\/e/);
    await deploy(script("f/t/d", "d1"), "Failing");
    expect(await contentOf("f/t/d")).toBe(returns("d1"));
  });

  it("are archived when the app no longer deploys them, if it requests that", async () => {
    await remove(script("f/t/d", "d1"), "Failing");
    expect(await isArchived("f/t/d")).toBe(true);
    expect(await isArchived("f/t/c")).toBe(false);
  });

  it("may be described by code: a script with a new folder, and a flow", async () => {
    const items: DeployedItem[] = [
      { kind: "script", path: "f/coded/hello", language: "bash", content: "echo hello", value: { summary: "Hello", description: "" } },
      { kind: "flow", path: "f/coded/flow", text: JSON.stringify({ summary: "", value: { modules: [] } }) },
    ];
    await deploy({ [ITEMS_FILE]: JSON.stringify(items) }, "script-f--coded");
    expect((await ws.get("scripts/get/p/f/coded/hello")).json).toMatchObject({ summary: "Hello", content: "echo hello" });
    expect((await ws.get("flows/get/f/coded/flow")).json).toMatchObject({ value: { modules: [] } });
  });

  it("create the workspace if there is none", async () => {
    const workspace = `${ws.id}-new`;
    await pushDeployment(deps, await upload(script("f/t/a", "a"), "Folder", workspace), false, Date.now() + 90_000);
    expect((await workspaceOf(service.api, workspace).get("scripts/get/p/f/t/a")).json).toMatchObject({ content: returns("a") });
  });

  it("stop at the time limit", async () => {
    const deployment = await upload(script("f/t/late", "late"), "Late");
    await expect(pushDeployment(deps, deployment, false, Date.now() + 1)).rejects.toThrow("did not end in time");
  });
});

describe("two calls of an app", () => {
  const nothing = { "svc.yaml": "{}\n" };
  const x = script("f/t/x", "x");
  const y = script("f/t/y", "y");
  const present = async () => [!(await isArchived("f/t/x")), !(await isArchived("f/t/y"))];

  it("hand over an item, whichever call is deployed first", async () => {
    await deploy({ ...x, ...y }, "Former");
    await deploy(x, "New");
    await deploy(y, "Former");
    expect(await present()).toEqual([true, true]);
    await deploy(nothing, "Former");
    await deploy({ ...x, ...y }, "New");
    expect(await present()).toEqual([true, true]);
    await deploy(y, "New");
    expect(await present()).toEqual([false, true]);
  });

  it("keep the items of a folder that has another id, also if the deployment is rolled back, and delete them with the last call", async () => {
    await deploy({ ...x, ...y }, "Renamed");
    await remove(y, "New");
    expect(await present()).toEqual([true, true]);
    await deploy({ ...x, ...y }, "Again");
    await remove({ ...x, ...y }, "Again");
    expect(await present()).toEqual([true, true]);
    await remove({ ...x, ...y }, "Renamed");
    expect(await present()).toEqual([false, false]);
  });

  it("may run at the same time", async () => {
    await deploy(x, "First");
    await Promise.all([remove(x, "First"), deploy(x, "Second")]);
    expect(await present()).toEqual([true, false]);
  });

  it("keep the items of a deployment that died, until it is repeated", async () => {
    await expect(pushDeployment(deps, await upload(x, "Dead"), false, Date.now() + 1)).rejects.toThrow("did not end in time");
    await deploy(nothing, "Second");
    expect(await present()).toEqual([true, false]);
    await deploy(x, "Dead");
    await deploy(nothing, "Dead");
    expect(await present()).toEqual([false, false]);
  });

  it("do not conflict because of the items of a call that the app no longer has", async () => {
    await deploy(x, "Kept");
    await pushDeployment(deps, { ...(await upload(x, "Kept")), removes: "false" }, true, Date.now() + 90_000);
    expect(await present()).toEqual([true, false]);
    await deploy(x, "Heir");
    await deploy(nothing, "Heir");
    expect(await present()).toEqual([false, false]);
  });
});
