import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { step, each } = flow;

const nested = (id: string, path: string, args: Record<string, string> = {}, more: object = {}) => ({
  id,
  value: {
    type: "flow",
    path,
    input_transforms: Object.fromEntries(Object.entries(args).map(([name, expr]) => [name, { type: "javascript", expr }])),
  },
  ...more,
});

const status = (job: Record<string, unknown>) => job["flow_status"] as { step: number; modules: Record<string, unknown>[] };

describe("saved flows", () => {
  it("a flow runs from every form of its webhook, in its newest and in an exact version", async () => {
    await saveFlow(ws, "f/t/double", [step("a", "flow_input.n * 2")]);
    const { version_id: first } = (await ws.get("flows/get/f/t/double")).json as { version_id: number };
    await saveFlow(ws, "f/t/double", [step("a", "flow_input.n * 2"), step("b", "'newest ' + results.a")]);
    const { version_id: second } = (await ws.get("flows/get/f/t/double")).json as { version_id: number };
    expect(second).toBeGreaterThan(first);
    const wait = async (target: string) => expectStatus(await ws.post(`jobs/run_wait_result/${target}`, { n: 4 }), 200).json;
    expect(await wait("f/f/t/double")).toBe("newest 8");
    expect(await wait(`fv/${first}`)).toBe(8);
    expect(await wait(`fv/${second}`)).toBe("newest 8");
    // The specification gives scripts' addresses to flows as well.
    const { hash } = ((await ws.get("flows/history/p/f/t/double")).json as { hash: string }[])[1] ?? { hash: "" };
    expect(await wait("p/f/t/double")).toBe("newest 8");
    expect(await wait(`h/${hash}`)).toBe(8);
    const payload = Buffer.from('{"n":5}').toString("base64url");
    expect((await ws.get("jobs/run_wait_result/f/f/t/double", { payload })).json).toBe("newest 10");
    expect((await ws.get(`jobs/run_wait_result/fv/${first}`, { payload })).json).toBe(10);
    expect((await ws.post("jobs/run/p/f/t/nothing_here", {})).status).toBe(404);
    for (const [target, result] of [
      ["p/f/t/double", "newest 2"],
      ["f/f/t/double", "newest 2"],
      [`fv/${first}`, 2],
    ] as const) {
      const id = expectStatus(await ws.post(`jobs/run/${target}`, { n: 1 }), 201).text;
      expect(await ws.completed(id)).toMatchObject({ job_kind: "flow", script_path: "f/t/double", success: true, result });
    }
  });

  it("values of 1 MB pass through a flow outside its state", async () => {
    const big = "x".repeat(1_000_000);
    const job = await runFlow(ws, [step("a", "flow_input.big"), step("b", "results.a.length"), step("c", "[results.a, results.b]")], {
      big,
    });
    expect((job["result"] as [string, number])[1]).toBe(1_000_000);
    expect((job["result"] as [string, number])[0] === big).toBe(true);
  });
});

describe("flow_status", () => {
  it("flow_status shows the running job and the index of a loop", async () => {
    const slow = flow.script("b", "export const main = async () => { await Bun.sleep(3000); };", {}, {});
    const id = expectStatus(
      await ws.post("jobs/run/preview_flow", { value: { modules: [each("l", "[1, 2]", [step("a", "1"), slow]), step("z", "1")] } }),
      201,
    ).text;
    const at = async (index: number) =>
      until(
        async () => {
          const job = (await ws.get(`jobs_u/get/${id}`)).json as Record<string, unknown>;
          const [loop] = job["type"] === "QueuedJob" ? status(job).modules : [];
          return (loop?.["iterator"] as { index: number } | undefined)?.index === index ? loop : undefined;
        },
        { what: `iteration ${index}` },
      );
    expect(await at(0)).toMatchObject({ type: "InProgress", id: "l", iterator: { index: 0, itered_len: 2 } });
    expect(await at(1)).toMatchObject({ type: "InProgress", flow_jobs: [expect.any(String)], flow_jobs_success: [true] });
    await ws.completed(id);
  });
});

describe("nested flows", () => {
  it("a nested flow is canceled with its caller", async () => {
    await saveFlow(ws, "f/t/waiting", [step("x", "1", { sleep: { type: "static", value: 600 } }), step("y", "2")]);
    const id = expectStatus(
      await ws.post("jobs/run/preview_flow", { value: { modules: [nested("a", "f/t/waiting"), step("b", "1")] } }),
      201,
    ).text;
    const inside = await until(
      async () =>
        ((await ws.get("jobs/list", { parent_job: id })).json as { id: string; running?: boolean }[]).find(({ running }) => running),
      { what: "the flow inside" },
    );
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, { reason: "all of it" }), 200);
    expect(await ws.completed(inside.id)).toMatchObject({ canceled: true, canceled_reason: "all of it" });
    expect(await ws.completed(id)).toMatchObject({ canceled: true });
  });
});
