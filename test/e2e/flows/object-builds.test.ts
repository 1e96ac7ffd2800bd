import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { addOutboxReader, outboxOf } from "../../support/engine/outbox.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const identity = (id = "a") => ({ id, value: { type: "identity" } });
const inline = (id: string, content: string, language = "bash") => ({
  id,
  value: { type: "rawscript", language, content, input_transforms: {} },
});
const aFlow = (path: string, fields: object = {}) => ({ path, summary: "", value: { modules: [identity()] }, ...fields });
const create = (flow: object, at: Workspace = ws) => at.post("flows/create", flow);
const update = (path: string, flow: object, at: Workspace = ws) => at.post(`flows/update/${path}`, flow);
const created = async (path: string, fields: object = {}, at: Workspace = ws) => expectStatus(await create(aFlow(path, fields), at), 201);
interface Flow {
  path: string;
  version_id: number;
  [field: string]: unknown;
}
const get = async (path: string, at: Workspace = ws) => expectStatus(await at.get(`flows/get/${path}`), 200).json as Flow;
/** A first run waits for the build, which may take longer than a synchronous call. */
const resultOf = async (target: string, args: object = {}, at: Workspace = ws) =>
  (await at.completed(expectStatus(await at.post(`jobs/run/${target}`, args), 201).text))["result"];
const deployed = async (path: string, at: Workspace = ws) => {
  const { job_id: job } = expectStatus(await at.get(`flows/deployment_status/p/${path}`), 200).json as { job_id: string };
  return { job, ended: await at.completed(job, 120_000) };
};

describe("every change of a flow writes exactly one typed event", () => {
  it("a save without a change writes no event", async () => {
    const own = await newWorkspace();
    await addOutboxReader(own.id);
    await created("f/t/a", {}, own);
    expectStatus(await update("f/t/a", aFlow("f/t/a"), own), 200);
    expectStatus(await update("f/t/a", aFlow("f/t/b"), own), 200);
    for (const archived of [true, true, false, false]) expectStatus(await own.post("flows/archive/f/t/b", { archived }), 200);
    for (const path of ["f/t/b", "f/t/b", "f/t/none"]) expectStatus(await own.call("DELETE", `flows/delete/${path}`), 200);
    expect((await create(aFlow("f/nowhere/a"), own)).status).toBe(400);
    expect((await update("f/t/none", aFlow("f/t/none"), own)).status).toBe(404);
    expect(await outboxOf(own.id)).toEqual([
      "CreateFlow f/t/a",
      "UpdateFlow f/t/a",
      "UpdateFlow f/t/b",
      "ArchiveFlow f/t/b",
      "UpdateFlow f/t/b",
      "DeleteFlow f/t/b",
    ]);
  });
});

describe("building a flow", () => {
  it("the build locks each inline script in the job's result and does not change the flow", async () => {
    const leftPad = 'import p from "left-pad@1.3.0"; export const main = () => p("a", 3);';
    const value = {
      modules: [
        inline("pad", leftPad, "bun"),
        { id: "l", value: { type: "branchall", branches: [{ modules: [inline("plain", "echo b")] }] } },
      ],
      failure_module: inline("failure", leftPad, "bun"),
    };
    await created("f/t/locked", { value });
    const { job, ended } = await deployed("f/t/locked");
    expect(ended).toMatchObject({ id: job, job_kind: "flowdependencies", success: true, script_path: "f/t/locked" });
    const { locks } = ended["result"] as { locks: Record<string, string> };
    expect(Object.keys(locks).sort()).toEqual(["failure", "pad", "plain"]);
    expect(locks["pad"]).toContain("left-pad");
    expect([locks["failure"], locks["plain"]]).toEqual([locks["pad"], ""]);
    expect((await get("f/t/locked"))["value"]).toEqual(value);
    expect((await ws.get("flows/deployment_status/p/f/t/locked")).json).toEqual({ job_id: job });
    expect(await resultOf("f/f/t/locked")).toEqual(["b"]);
    // A lock that is sent is used.
    const sent = { modules: [{ id: "pad", value: { ...inline("pad", leftPad, "bun").value, lock: locks["pad"] } }] };
    expectStatus(await update("f/t/locked", aFlow("f/t/locked", { value: sent })), 200);
    expect((await deployed("f/t/locked")).ended["result"]).toEqual({ locks: { pad: locks["pad"] } });
  });

  it("a failed build describes the fault of each inline script, and so does a run", async () => {
    const broken = [
      inline("good", "export const main = () => 1;", "bun"),
      inline("bad", 'import x from "/f/t/not_there"; export const main = () => x;', "bun"),
      { id: "l", value: { type: "branchone", branches: [], default: [inline("worse", "export const main = ((;", "bun")] } },
    ];
    await created("f/t/broken", { value: { modules: broken } });
    const { ended } = await deployed("f/t/broken");
    expect(ended).toMatchObject({ success: false, result: { error: { name: "DependencyError" } } });
    const { lock_error_logs: logs = "" } = (await ws.get("flows/deployment_status/p/f/t/broken")).json as { lock_error_logs?: string };
    expect(logs).toMatch(/^bad: .*f\/t\/not_there/m);
    expect(logs).toMatch(/^worse: /m);
    expect(logs).not.toMatch(/^good: /m);
    expect(await get("f/t/broken")).toMatchObject({ lock_error_logs: logs });
    expect(await resultOf("f/f/t/broken")).toMatchObject({ error: { name: "DependencyError", message: logs } });
    // The next version is another try.
    expectStatus(await update("f/t/broken", aFlow("f/t/broken", { value: { modules: [inline("good", "echo good")] } })), 200);
    expect(await resultOf("f/f/t/broken")).toBe("good");
    expect(await get("f/t/broken")).not.toHaveProperty("lock_error_logs");
  });

  it("a flow that is too large for a state machine is rejected with the maximum", async () => {
    const modules = Array.from({ length: 3000 }, (_, index) => identity(`m${index}`));
    await created("f/t/long", { value: { modules } });
    const { ended } = await deployed("f/t/long");
    expect(ended["result"]).toMatchObject({
      error: { message: expect.stringMatching(/at most \d+ steps are allowed outside loops/) },
    });
    expect((await ws.get("flows/deployment_status/p/f/t/long")).json).toMatchObject({
      lock_error_logs: expect.stringContaining("too large"),
    });
  });

  it("a run before the end of the build waits for it", async () => {
    await created("f/t/early", { value: { modules: [inline("a", `echo ${randomUUID()}; echo ready`)] } });
    const job = expectStatus(await ws.post("jobs/run/f/f/t/early", {}), 201).text;
    expect((await ws.completed(job))["result"]).toBe("ready");
  });

  it("a script in a language without a runner can be built, and its step fails with the reason", async () => {
    const value = { modules: [inline("toString", "fn main() {}", "rust")] };
    await created("f/t/rust", { value });
    expect(await resultOf("f/f/t/rust")).toMatchObject({ error: { name: "NoRunner", step_id: "toString" } });
    await until(async () => (await deployed("f/t/rust")).ended["success"]);
  });
});
