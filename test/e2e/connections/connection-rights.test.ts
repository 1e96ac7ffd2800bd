import { beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { findLogLine } from "../../support/engine/logs.ts";

let ws: Workspace;
let dev: Someone;
const variable = (path: string, value = "the-secret-value") => ({ path, value, is_secret: true, description: "" });
const resource = (path: string) => ({ path, value: { token: "x" }, resource_type: "any" });

beforeAll(async () => {
  ws = await newWorkspace();
  dev = await member(ws, "dev");
  const folders = { open: { [`u/${dev.username}`]: true, "g/all": false }, shown: { "g/all": false }, hidden: {} };
  for (const [name, perms] of Object.entries(folders)) {
    expectStatus(await ws.post("folders/create", { name, owners: [], extra_perms: perms }), 201);
    expectStatus(await ws.post("variables/create", variable(`f/${name}/v`)), 201);
    expectStatus(await ws.post("resources/create", resource(`f/${name}/r`)), 201);
  }
});

describe("extra permissions", () => {
  it("the transaction that renames or deletes an object moves or deletes its extra permissions, so that none is left for another object", async () => {
    const own = await newWorkspace();
    const writes = async (route: string) => {
      const line = await findLogLine((text) => text.includes(`"${route}"`) && text.includes(`"${own.id}"`), route);
      const { requests } = (JSON.parse(line) as { aws: { requests: Record<string, number> } }).aws;
      return [route, requests["dynamodb.TransactWriteItems"]];
    };
    for (const kind of ["variable", "resource"]) {
      const body = kind === "variable" ? variable("f/t/a") : resource("f/t/a");
      expectStatus(await own.post(`${kind}s/create`, body), 201);
      expectStatus(await own.post(`acls/add/${kind}/f/t/a`, { owner: "g/all", write: false }), 200);
      expectStatus(await own.post(`${kind}s/update/f/t/a`, { path: "f/t/b" }), 200);
      expect(await writes(`${kind}s.update`)).toEqual([`${kind}s.update`, 1]);
      expect((await own.get(`acls/get/${kind}/f/t/a`)).json).toEqual({});
      expect((await own.get(`acls/get/${kind}/f/t/b`)).json).toEqual({ "g/all": false });
      expectStatus(await own.call("DELETE", `${kind}s/delete/f/t/b`), 200);
      expect(await writes(`${kind}s.delete`)).toEqual([`${kind}s.delete`, 1]);
      expect((await own.get(`acls/get/${kind}/f/t/b`)).json).toEqual({});
      expect((await own.call("DELETE", `${kind}s/delete/f/t/b`)).status).toBe(404);
    }
  });
});

describe("jobs with references", () => {
  it("the token of a job reads no more than its caller", async () => {
    await ws.saveScript({
      path: "f/open/asks",
      language: "bun",
      content: `import * as svc from "svc-client";
export async function main(path: string) { return (await svc.getVariable(path)).length; }`,
    });
    const mine = dev.in(ws);
    const run = async (path: string) => (await mine.post("jobs/run_wait_result/p/f/open/asks", { path })).json;
    expect(await run("f/shown/v")).toBe("the-secret-value".length);
    expect(await run("f/hidden/v")).toEqual({ error: expect.objectContaining({ message: expect.stringMatching(/404|not|no/i) }) });
  });
});
