import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flowCalls, nested } from "../../../test/support/flows/calls.ts";
import { flow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step } = flow;
const { ended, stepsOf } = flowCalls(() => ws);

describe("cache_ttl of a flow", () => {
  const dice = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.v ?? null" }, more);
  const wait = async (path: string, args: object = {}) => {
    const answer = expectStatus(await ws.post(`jobs/run_wait_result/f/${path}`, args), 200);
    return { cached: answer.headers.get("x-svc-cached") === "true", result: answer.json, id: answer.headers.get("x-svc-job-id") ?? "" };
  };

  it("an equal run returns the cached result without an execution, and other runs execute", async () => {
    await saveFlow(ws, "f/t/cached", { modules: [dice("a")], cache_ttl: 3600 });
    const first = await wait("f/t/cached", { v: 1, w: [2] });
    const second = await wait("f/t/cached", { w: [2], v: 1 });
    expect([first.cached, second.cached]).toEqual([false, true]);
    expect(second.result).toEqual(first.result);
    expect(await stepsOf(second.id)).toEqual([]);
    expect(await ended("f/t/cached", { v: 1, w: [2] })).toMatchObject({ success: true, cached: true, result: first.result });
    expect((await wait("f/t/cached", { v: 2 })).cached).toBe(false);
    await saveFlow(ws, "f/t/cached", { modules: [dice("a")], cache_ttl: 3600 });
    expect((await wait("f/t/cached", { v: 1, w: [2] })).cached).toBe(false);
  });

  it("the cache key contains the targets of references and the content of files", async () => {
    await saveFlow(ws, "f/t/cached_refs", { modules: [dice("a")], cache_ttl: 3600, cache_ignore_s3_path: true });
    const variable = { path: "f/t/changes", value: "one", is_secret: false, description: "" };
    expectStatus(await ws.post("variables/create", variable), 201);
    const args = { v: "$var:f/t/changes" };
    const first = await wait("f/t/cached_refs", args);
    expect((await wait("f/t/cached_refs", args)).result).toEqual(first.result);
    expectStatus(await ws.post("variables/update/f/t/changes", { value: "two" }), 200);
    expect((await wait("f/t/cached_refs", args)).cached).toBe(false);
    const upload = async (file_key: string, content: string) =>
      expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { query: { file_key }, body: content }), 200);
    await upload("options/a.txt", "equal");
    await upload("options/b.txt", "equal");
    const a = await wait("f/t/cached_refs", { v: { s3: "options/a.txt" } });
    expect(await wait("f/t/cached_refs", { v: { s3: "options/b.txt" } })).toMatchObject({ cached: true, result: a.result });
    await upload("options/b.txt", "another");
    expect((await wait("f/t/cached_refs", { v: { s3: "options/b.txt" } })).cached).toBe(false);
  });

  it("failures are not cached, and a step that runs a flow may have a cache", async () => {
    await saveFlow(ws, "f/t/cached_fails", { modules: [dice("a"), flow.failIf("b", "true")], cache_ttl: 3600 });
    await wait("f/t/cached_fails");
    const again = await wait("f/t/cached_fails");
    expect(again.cached).toBe(false);
    expect(await stepsOf(again.id)).toHaveLength(2);
    await saveFlow(ws, "f/t/plain", [dice("a")]);
    await saveFlow(ws, "f/t/calls", [
      nested("n", "f/t/plain", { cache_ttl: 3600 }),
      nested("m", "f/t/plain", { cache_ttl: 3600 }),
      step("z", "[results.n, results.m]"),
    ]);
    const [n, m] = (await ended("f/t/calls"))["result"] as unknown[];
    expect(n).toEqual(m);
  });
});
