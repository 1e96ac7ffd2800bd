import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { executionsOf, heldAs, lastEvents, startAgain, tellStatus } from "../../support/engine/executions.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Step Functions may tell a flow's end late, twice, or wrongly, and may run a job's machine twice at once: its record alone counts. */
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
  await saveFlow(ws, "f/t/inner", [step("e"), step("f")]);
});
afterAll(() => witness?.close());

/** A step that is counted, takes a while, and fails the first `fails` times. */
const CODE = `export async function main(at: string, fails: number) {
  const times = Number(await (await fetch(at)).text());
  await Bun.sleep(150);
  if (times <= fails) throw new Error("planned");
  return at.split("/").at(-1);
}`;
const step = (id: string, more: object = {}, fails = 0) =>
  flow.script(id, CODE, { at: `flow_input.at + '/${id}' + (flow_input.iter?.index ?? '')`, fails: String(fails) }, more);

const modules = [
  step("a"),
  flow.each("l", "[0, 1]", [step("b"), step("c")]),
  step("r", { retry: { constant: { attempts: 1, seconds: 0 } } }, 1),
  flow.each("p", "[0, 1, 2]", [step("g"), step("h")], { parallel: true }),
  flow.all("o", [[step("x")], [step("y")]]),
  { id: "n", value: { type: "flow", path: "f/t/inner", input_transforms: { at: { type: "javascript", expr: "flow_input.at" } } } },
  step("w", { sleep: { type: "static", value: 1 } }),
  flow.step("z", "[results.l, results.r, results.p, results.o, results.n]"),
];
const RESULT = [["c0", "c1"], "r", ["h0", "h1", "h2"], ["x", "y"], "f"];
const ONCE = ["a", "b0", "c0", "b1", "c1", "g0", "g1", "g2", "h0", "h1", "h2", "x", "y", "e", "f", "w"];
const CALLS = { ...Object.fromEntries(ONCE.map((place) => [place, 1])), r: 2 };

async function begin(value: object = { modules }) {
  const run = randomUUID();
  const id = expectStatus(await ws.post("jobs/run/preview_flow", { value, args: { at: `${witness.url}/${run}` } }), 201).text;
  const calls = () => {
    const counted: Record<string, number> = {};
    for (const { what } of witness.told) if (what.startsWith(run)) counted[what.slice(37)] = (counted[what.slice(37)] ?? 0) + 1;
    return counted;
  };
  return { id, calls, at: (place: string) => witness.heard(`${run}/${place}`) };
}
/** All executions of a job, once none runs any more. */
const ended = (id: string) =>
  until(
    async () => {
      const found = await executionsOf(ws.id, id);
      return found.every(({ status }) => status !== "RUNNING") ? found : undefined;
    },
    { timeoutMs: 60_000, what: `the end of all executions of ${id}` },
  ).catch(async (error: Error) => {
    const running = (await executionsOf(ws.id, id)).filter(({ status }) => status === "RUNNING");
    throw new Error(`${error.message}: ${JSON.stringify(await Promise.all(running.map((one) => lastEvents(one))))}`);
  });
const first = async (id: string) => {
  const [execution] = await executionsOf(ws.id, `${id}.`);
  return execution ?? expect.fail(`The job ${id} has no execution.`);
};

const disturbances: Record<string, (id: string) => Promise<unknown>> = {
  "its execution was said to have failed": (id) => tellStatus(`${id}.0`, "FAILED"),
  "its execution was said to have timed out": (id) => tellStatus(`${id}.0`, "TIMED_OUT"),
  "that was said three times at once": (id) => Promise.all([1, 2, 3].map(() => tellStatus(`${id}.0`, "FAILED"))),
  "that was said again, late": async (id) => {
    await tellStatus(`${id}.0`, "FAILED");
    await tellStatus(`${id}.0`, "ABORTED");
    await tellStatus(`${id}.0`, "TIMED_OUT");
  },
  "executions that never were have ended": async (id) => {
    await tellStatus(`${id}.7`, "ABORTED");
    await tellStatus("by-hand", "FAILED");
    await tellStatus(`${randomUUID()}.0`, "FAILED");
  },
  "its machine was started a second time": async (id) => startAgain(await first(id), `again-${id}`),
  "its machine was started with an old number": async (id) => {
    const execution = await first(id);
    await tellStatus(`${id}.0`, "FAILED");
    await startAgain(execution, `old-${id}`, { execution: 0 });
  },
  "its machine was started with a number to come": async (id) => startAgain(await first(id), `early-${id}`, { execution: 1 }),
};

describe("repeated calls of steps", () => {
  it.each(Object.entries(disturbances))(
    "a flow runs each step once although %s, at any place",
    { timeout: 120_000 },
    async (_title, disturb) => {
      const places = ["b1", "g1", "e"];
      await Promise.all(
        places.map(async (place) => {
          const { id, calls, at } = await begin();
          await at(place);
          await disturb(id);
          expect([place, await ws.completed(id, 100_000)]).toMatchObject([place, { success: true, result: RESULT }]);
          await ended(id);
          expect([place, calls()]).toEqual([place, CALLS]);
        }),
      );
    },
  );
});

it("a task of an outdated execution does not wait for a nested flow", async () => {
  const { id, at } = await begin({ modules: [modules[5]] });
  await at("e");
  const { machine } = await first(id);
  // Its own state that waits, asked for with a number that is not the job's.
  const waiting = await heldAs(machine, { version: 1, workspace: ws.id, job: id, execution: 7, events: 0, path: "" });
  expect(await until(waiting, { what: "the end of an execution that waits for nothing", timeoutMs: 30_000 })).toBe("SUCCEEDED");
  expect(await ws.completed(id)).toMatchObject({ success: true, result: "f" });
});

describe.concurrent("late events of ended flows", () => {
  const ways: [string, object, object][] = [
    ["well", { modules: [flow.identity("a")] }, { success: true }],
    ["skipped", { modules: [flow.identity("a", { stop_after_if: { expr: "true", skip_if_stopped: true } })] }, { is_skipped: true }],
    ["failed", { modules: [flow.fail("a")] }, { success: false, canceled: false }],
    ["failed, though its failure module ran", { modules: [flow.fail("a")], failure_module: flow.step("failure", "1") }, { result: 1 }],
  ];
  it.each(ways)("%s", async (_title, value, expected) => {
    const job = await runFlow(ws, value);
    expect(job).toMatchObject(expected);
    const id = String(job["id"]);
    const executions = await ended(id);
    for (const status of ["FAILED", "ABORTED", "TIMED_OUT"]) for (const n of [0, 1]) await tellStatus(`${id}.${n}`, status);
    if (executions[0]) await startAgain(executions[0], `late-${id}`);
    await ended(id);
    expect(await ws.completed(id)).toEqual(job);
    expect(await executionsOf(ws.id, `${id}.`)).toHaveLength(executions.length);
  });

  it("canceled", async () => {
    const { id, at, calls } = await begin({ modules: [step("a", { sleep: { type: "static", value: 600 } }), step("b")] });
    await at("a");
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, { reason: "enough" }), 200);
    const job = await ws.completed(id);
    expect(job).toMatchObject({ canceled: true, canceled_reason: "enough" });
    await ended(id);
    for (const status of ["FAILED", "ABORTED", "TIMED_OUT"]) await tellStatus(`${id}.0`, status);
    await startAgain(await first(id), `late-${id}`);
    await ended(id);
    expect(await ws.completed(id)).toMatchObject({ canceled: true, canceled_reason: "enough", completed_at: job["completed_at"] });
    expect(calls()).toEqual({ a: 1 });
  });
});
