import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildCli } from "../../../cli/build.ts";
import type { Deployment } from "../../../contract/deployment/deployment.ts";
import { env } from "../../../contract/env.ts";
import type { PushDeps } from "../../../functions/deploy/push.ts";
import { api, shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { stubServiceEnv } from "../../support/engine/stub-env.ts";

type Push = typeof import("../../../functions/deploy/push.ts");
let ws: Workspace;
let push: Push["pushDeployment"];
let deps: PushDeps;
let cli: string;
beforeAll(async () => {
  cli = mkdtempSync(join(tmpdir(), "svc-e2e-deploy-"));
  buildCli(cli);
  ws = await newWorkspace();
  stubServiceEnv(shared());
  vi.stubEnv(env.bucket, shared().outputs["Bucket"] ?? "");
  const [{ pushDeployment }, { objectTable }, { storage }, { assets }] = await Promise.all([
    import("../../../functions/deploy/push.ts"),
    import("../../../aws/dynamodb/object-table.ts"),
    import("../../../aws/s3/storage.ts"),
    import("../../../aws/s3/assets.ts"),
  ]);
  push = pushDeployment;
  const identity = { objects: objectTable, nowMs: Date.now, instanceEventsUrl: undefined };
  deps = { identity, storage, assets, url: api().url, cli: join(cli, "dist/svc.mjs") };
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(cli, { recursive: true, force: true });
});

const bucket = () => shared().outputs["Bucket"] ?? "";
let uploads = 0;
/** Uploads files as CDK does, and describes their deployment. */
async function upload(files: Record<string, string>): Promise<Deployment> {
  uploads += 1;
  const objectKey = `files/deployment-test-${process.pid}-${uploads}.zip`;
  const Body = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  await awsClients().s3.send(new PutObjectCommand({ Bucket: bucket(), Key: objectKey, Body }));
  return { workspace: ws.id, bucket: bucket(), objectKey, id: "Folder", removes: "true" };
}
const deploy = async (files: Record<string, string>) => push(deps, await upload(files), false, Date.now() + 90_000);
const script = (path: string, content: string) => ({
  [`${path}.sh`]: content,
  [`${path}.script.yaml`]: "summary: ''\ndescription: ''\nlock: ''\n",
});
const read = async (path: string) => (await ws.get(`scripts/get/p/${path}`)).json as Record<string, unknown>;
const contentOf = async (path: string) => (await read(path))["content"];

describe("the files of an app", () => {
  it("arrive in the workspace as the user deployment, and leave what others have saved there", async () => {
    await ws.saveScript({ path: "f/t/own", content: "echo own", language: "bash" });
    await deploy({ ...script("f/t/a", "echo a1"), ...script("f/t/b", "echo b1") });
    expect(await contentOf("f/t/a")).toBe("echo a1");
    expect((await ws.get("scripts/get/p/f/t/a")).json).toMatchObject({ created_by: "deployment" });
    expect(await contentOf("f/t/own")).toBe("echo own");
    expect((await ws.runWait("f/t/a")).json).toBe("a1");
  });
});
