import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterEach, describe, expect, it } from "vitest";
import { ITEMS_FILE } from "../../contract/deployment/deployment.ts";
import { planChanges } from "../../core/sync/plan.ts";
import { writeProject } from "./files.ts";
import { type DeploymentRequest, reply, requestSchema } from "./request.ts";
import { leaveToOthers } from "./states.ts";

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
const deployed = { workspace: "shop", onlyConfig: false };
const newFolder = () => mkdtempSync(join(tmpdir(), "svc-deploy-test-"));

describe("the files of a deployment", () => {
  it("are written with a svc.yaml, and the folders without a description are named", () => {
    const folder = newFolder();
    const files = { "f/a/x.sh": "echo", "f/b/y.sh": "echo", "f/b/folder.meta.yaml": "summary: B\n" };
    const items = new Set(["script f/a/x", "script f/b/y", "folder b"]);
    expect(writeProject(folder, zip(files), deployed)).toEqual({ folders: ["a"], items });
    expect([readFileSync(join(folder, "f/a/x.sh"), "utf8"), readFileSync(join(folder, "svc.yaml"), "utf8")]).toEqual(["echo", "{}\n"]);
  });

  it("are not written when the app no longer deploys them, except for the options", () => {
    const folder = newFolder();
    expect(
      writeProject(folder, zip({ "svc.yaml": "includeSchedules: true\n", "f/a/x.sh": "echo" }), { ...deployed, onlyConfig: true }),
    ).toEqual({
      folders: [],
      items: new Set(),
    });
    expect(readFileSync(join(folder, "svc.yaml"), "utf8")).toBe("includeSchedules: true\n");
    expect(existsSync(join(folder, "f"))).toBe(false);
  });

  it("are the items that the command line finds in them for the workspace", () => {
    const files = {
      "svc.yaml": "workspaces:\n  prod: { workspaceId: shop }\n  dev: {}\n",
      "f/a/own.prod.variable.yaml": "value: a\n",
      "f/a/foreign.dev.variable.yaml": "value: b\n",
      "f/a/common.variable.yaml": "value: c\n",
      "f/a/y.flow/flow.yaml": "summary: Y\n",
      "README.md": "text",
    };
    const { items } = writeProject(newFolder(), zip(files), deployed);
    expect([...items].sort()).toEqual(["flow f/a/y", "variable f/a/common", "variable f/a/own"]);
  });

  it("may not lie outside of the folder", () => {
    for (const name of ["../outside.sh", "f/../../outside.sh"])
      expect(() => writeProject(newFolder(), zip({ [name]: "" }), deployed)).toThrow("lies outside of the folder");
  });

  it("are those of the items that the app's code describes", () => {
    const folder = newFolder();
    const items = [
      { kind: "script", path: "f/a/x", language: "python3", content: "def main(): pass\n", value: { summary: "X" } },
      { kind: "flow", path: "f/a/y", text: "summary: Y\nvalue:\n  modules: []\n" },
    ];
    writeProject(folder, zip({ [ITEMS_FILE]: JSON.stringify(items) }), deployed);
    expect(readFileSync(join(folder, "f/a/x.py"), "utf8")).toBe("def main(): pass\n");
    expect(readFileSync(join(folder, "f/a/y.flow/flow.yaml"), "utf8")).toContain("summary: 'Y'");
    expect(existsSync(join(folder, ITEMS_FILE))).toBe(false);
    const broken = JSON.stringify([{ kind: "flow", path: "f/a/y", text: "a: [" }]);
    expect(() => writeProject(folder, zip({ [ITEMS_FILE]: broken }), deployed)).toThrow("The flow f/a/y is not valid YAML");
  });
});

describe("the state of a call", () => {
  it("lets a push delete items that no other call contains, and replace items that both calls contain", () => {
    const [given, common, only] = ["script f/a/given", "folder a", "script f/a/only"];
    const item = (digest: string) => ({ digest });
    const items = { [given]: item("1"), [common]: item("1"), [only]: item("1") };
    const local = new Map([[common, item("2")]]);
    const base = leaveToOthers(items, new Set([given, common]), new Set(local.keys()));
    const planned = planChanges({
      direction: "push",
      local,
      remote: new Map(Object.entries(items)),
      base: new Map(Object.entries(base as typeof items)),
    });
    expect(planned.map(({ key, type }) => [key, type])).toEqual([
      [common, "change"],
      [given, "skip"],
      [only, "delete"],
    ]);
  });
});

describe("the reply to CloudFormation", () => {
  let close = () => {};
  afterEach(() => close());
  /** A stand-in for S3 that refuses the first requests. */
  async function receiver(refusals = 0) {
    const received: { headers: IncomingHttpHeaders; body: Record<string, string>; bytes: number }[] = [];
    let left = refusals;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (left === 0) received.push({ headers: request.headers, body: JSON.parse(text), bytes: Buffer.byteLength(text) });
        response.writeHead(left > 0 ? 503 : 200).end();
        left = Math.max(0, left - 1);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => server.close();
    return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }
  const request = (ResponseURL: string, fields: Partial<DeploymentRequest> = {}): DeploymentRequest =>
    requestSchema.parse({
      RequestType: "Create",
      ResponseURL,
      StackId: "arn:aws:cloudformation:eu-central-1:111111111111:stack/Shop/1",
      RequestId: "r1",
      LogicalResourceId: "Deployment",
      ResourceProperties: { ServiceToken: "arn", workspace: "shop", bucket: "b", objectKey: "k", id: "shop-Folder", removes: "false" },
      ...fields,
    });

  it("contains only the ids of the resource and its state", async () => {
    const { received, url } = await receiver(1);
    await reply(request(url), undefined);
    expect(received.map(({ body }) => body)).toEqual([
      {
        Status: "SUCCESS",
        PhysicalResourceId: "shop/shop-Folder",
        StackId: "arn:aws:cloudformation:eu-central-1:111111111111:stack/Shop/1",
        RequestId: "r1",
        LogicalResourceId: "Deployment",
      },
    ]);
    expect(received[0]?.headers["content-type"] ?? "").toBe("");
  });

  it.each(["a", "€", "\u0000", "\n", "😀"])(
    "has the end of a long reason with %j, so that it never has more than 4096 bytes",
    async (text) => {
      const { received, url } = await receiver();
      const long = {
        LogicalResourceId: "L".repeat(255),
        StackId: `arn:aws:cloudformation:eu-central-1:111111111111:stack/${"s".repeat(128)}/1`,
      };
      await reply(request(url, long), `${text.repeat(9000)} The build of f/a/x failed.`);
      expect(received[0]?.body).toMatchObject({ Status: "FAILED", Reason: expect.stringMatching(/The build of f\/a\/x failed\.$/) });
      expect(received[0]?.bytes).toBeLessThan(4096);
      expect(received[0]?.bytes).toBeGreaterThan(2000);
    },
  );

  it("is another resource in another workspace, and a removal names the resource that it removes", async () => {
    const { received, url } = await receiver();
    await reply(request(url, { RequestType: "Update", PhysicalResourceId: "old/old-Folder" }), undefined);
    await reply(request(url, { RequestType: "Delete", PhysicalResourceId: "old/old-Folder" }), undefined);
    expect(received.map(({ body }) => body["PhysicalResourceId"])).toEqual(["shop/shop-Folder", "old/old-Folder"]);
  });
});
