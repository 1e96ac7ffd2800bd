import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step, each, all, failIf } = flow;

/** A step whose result is another one each time. */
const dice = (id: string) =>
  flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.iter?.value ?? null" }, {});
const restart = async (id: unknown, body: object) => {
  const answer = await ws.post(`jobs/restart/f/${String(id)}`, body);
  return answer.status === 201 ? ws.completed(answer.text) : answer;
};

describe("restarted flows", () => {
  it("a restarted flow retains earlier iterations and branches", async () => {
    const loops = await runFlow(ws, [each("l", "[1, 2, 3]", [dice("a")]), step("z", "results.l")]);
    const again = (await restart(loops["id"], { step_id: "l", branch_or_iteration_n: 2 })) as Record<string, unknown>;
    const [before, after] = [loops["result"] as unknown[], again["result"] as unknown[]];
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toEqual(before[2]);
    expect((after[2] as unknown[])[0]).toBe(3);
    const branches = await runFlow(ws, [all("b", [[dice("a")], [dice("c")]])]);
    const second = (await restart(branches["id"], { step_id: "b", branch_or_iteration_n: 1 })) as Record<string, unknown>;
    expect((second["result"] as unknown[])[0]).toEqual((branches["result"] as unknown[])[0]);
    expect((second["result"] as unknown[])[1]).not.toEqual((branches["result"] as unknown[])[1]);
  });

  it("a restarted flow continues from the failed step in another version", async () => {
    await saveFlow(ws, "f/t/mended", [dice("a"), failIf("b", "true")]);
    const first = await ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/mended", {}), 201).text);
    expect(first).toMatchObject({ success: false });
    await saveFlow(ws, "f/t/mended", [dice("a"), failIf("b", "false", "'mended'")]);
    const { version_id, hash } = (await ws.get("flows/get/f/t/mended")).json as { version_id: number; hash: string };
    expect((await ws.post("jobs/run_wait_result/f/f/t/mended", {})).json).toBe("mended");
    const again = await restart(first["id"], { step_id: "b", flow_version: version_id });
    expect(again).toMatchObject({ success: true, result: "mended" });
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it("a cached result never passes secrets to a run of another identity", async () => {
    const secret = { path: "u/admin/key", value: "planted-restart-secret", is_secret: true, description: "" };
    expectStatus(await ws.post("variables/create", secret), 201);
    const reads = {
      id: "a",
      value: {
        type: "rawscript",
        language: "bun",
        content: "export const main = (v: string) => v;",
        input_transforms: { v: { type: "static", value: "$var:u/admin/key" } },
      },
    };
    await saveFlow(ws, "f/t/secretive", [reads, step("b", "results.a.length")]);
    const first = await ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/secretive", {}), 201).text);
    expect(await restart(first["id"], { step_id: "b" })).toMatchObject({ result: secret.value.length });
    const other = await member(ws, "boss", "admin");
    const answer = await other.in(ws).post(`jobs/restart/f/${String(first["id"])}`, { step_id: "b" });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("contain secrets")]);
    expectStatus(await other.in(ws).post(`jobs/restart/f/${String(first["id"])}`, { step_id: "a" }), 201);
  });

  it("an impossible restart is rejected with the reason", async () => {
    const job = await runFlow(ws, [step("a", "1"), failIf("b", "true"), step("c", "2")]);
    for (const [body, reason] of [
      [{ step_id: "zz" }, "no step zz"],
      [{ step_id: "c" }, "the earlier step b did not finish"],
      [{ step_id: "a", branch_or_iteration_n: 1 }, "neither a loop"],
    ] as const) {
      expect(await restart(job["id"], body)).toMatchObject({ status: 400, text: expect.stringContaining(reason) });
    }
    await saveFlow(ws, "f/t/one", [step("a", "1")]);
    await saveFlow(ws, "f/t/two", [step("a", "2")]);
    const { version_id: flow_version } = (await ws.get("flows/get/f/t/two")).json as { version_id: number };
    const of = await ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/one", {}), 201).text);
    expect(await restart(of["id"], { step_id: "a", flow_version })).toMatchObject({
      status: 400,
      text: expect.stringContaining("another flow"),
    });
    const steps = (await ws.get("jobs/list", { parent_job: String(job["id"]) })).json as { id: string }[];
    expect(await restart(steps[0]?.id, { step_id: "a" })).toMatchObject({ status: 400, text: expect.stringContaining("it is not a flow") });
  });
});
