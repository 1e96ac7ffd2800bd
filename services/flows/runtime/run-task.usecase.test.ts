import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { aFlow } from "../../../test/builders/flows.ts";
import { runExecution } from "../../../test/support/use-cases/aws/state-machine.ts";
import { newWorld, success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadValue } from "../../jobs/values/values.ts";

const script = (id: string, more: object = {}) => ({ id, value: { type: "script", path: "f/ops/hello" }, ...more });
const expression = (expr: string) => ({ type: "javascript", expr });
const loop = (modules: object[], more: object = {}) => ({
  id: "each",
  value: { type: "forloopflow", iterator: expression("flow_input.orders"), skip_failures: false, modules, ...more },
});
const echo = (id: string, expr: string) => ({
  id,
  value: { type: "script", path: "f/ops/hello", input_transforms: { x: expression(expr) } },
});

/** A world with a script that returns its argument `x`, and the person whose rights the jobs have. */
async function prepareWorld(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  const { build, ...value } = await addScript(world);
  const email = "ann@example.com";
  const person = { email, username: "ann", superAdmin: true, createdAtMs: 0 };
  await Promise.all([
    world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build }),
    world.deps.objects.put({ ...userObject.key(personKey(email)), value: person }),
  ]);
  world.answers.run = async (request) => success((request.args as { x?: unknown }).x ?? null);
  return world;
}

/** Runs a flow with all its executions, and returns the end of its job. */
async function runFlow(flow: object, args: object = {}): Promise<{ state: string; result: unknown; executions?: number }> {
  const world = await prepareWorld();
  const { id } = await addJob(world, {
    id: randomUUID(),
    kind: "flowpreview",
    code: { in: "head", json: JSON.stringify({ flow: aFlow(flow) }) },
    args: { in: "head", json: JSON.stringify(args) },
    hash: undefined,
    language: undefined,
    tag: "flow",
    timeoutS: limits.flowTimeoutS,
  });
  await handleJobMessage(world.deps, { job: id });
  for (const execution of world.started) await runExecution(world, execution);
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The flow's job is ${job?.state}.`);
  const result: unknown = JSON.parse(await loadValue(world.deps, job, job.result));
  return { state: job.state, result, ...(world.started.length > 1 ? { executions: world.started.length } : {}) };
}

describe("runTask, called by the machine of a flow,", () => {
  it("passes the result of each step to the next one", async () => {
    const modules = [echo("a", "flow_input.orders"), echo("b", "results.a.length")];
    expect(await runFlow({ modules }, { orders: [1, 2, 3] })).toEqual({ state: "succeeded", result: 3 });
  });

  it.each([
    ["one after another", {}],
    ["in parallel", { parallel: true }],
    ["in parallel, two at a time", { parallel: true, parallelism: 2 }],
  ])("runs the iterations of a loop %s, and collects their results in order", async (_, more) => {
    const flow = { modules: [loop([echo("a", "flow_input.iter.value * 10"), echo("b", "previous_result + flow_input.iter.index")], more)] };
    expect(await runFlow(flow, { orders: [1, 2, 3, 4, 5] })).toEqual({ state: "succeeded", result: [10, 21, 32, 43, 54] });
  });

  it("continues a while loop until its predicate holds", async () => {
    const value = { type: "whileloopflow", skip_failures: false, modules: [echo("a", "flow_input.iter.index")] };
    const modules = [{ id: "each", value, stop_after_if: { expr: "result >= 3" } }];
    expect(await runFlow({ modules })).toEqual({ state: "succeeded", result: [0, 1, 2, 3] });
  });

  it("leaves the rest of a long loop to another execution", async () => {
    const last = { id: "i", value: { type: "identity" }, stop_after_if: { expr: "flow_input.iter.index === 299" } };
    const modules = [{ id: "w", value: { type: "whileloopflow", skip_failures: false, modules: [last] } }, echo("n", "results.w.length")];
    expect(await runFlow({ modules })).toEqual({ state: "succeeded", result: 300, executions: 2 });
  });

  it("runs a long parallel loop in rounds, and collects its results in order", async () => {
    const orders = Array.from({ length: 100 }, (_, index) => index);
    const modules = [
      loop([{ id: "i", value: { type: "identity" } }], { parallel: true }),
      echo("n", "results.each.map(({ iter }) => iter.value)"),
    ];
    expect(await runFlow({ modules }, { orders })).toEqual({ state: "succeeded", result: orders });
  });

  it("ends a while loop without steps by its own predicate, and fails it where that never holds", async () => {
    const empty = { type: "whileloopflow", skip_failures: false, modules: [] };
    const modules = [
      { id: "w", value: empty, stop_after_if: { expr: "all_iters.length === 3" } },
      { id: "v", value: empty, stop_after_if: { expr: "false" }, continue_on_error: true },
      echo("n", "[results.w.length, results.v.error.name]"),
    ];
    expect(await runFlow({ modules })).toMatchObject({ result: [3, "EndlessLoop"] });
  });

  it("chooses the first branch whose condition holds, or the default", async () => {
    const value = {
      type: "branchone",
      branches: [{ expr: "flow_input.n > 1", modules: [echo("x", "'large'")] }],
      default: [echo("y", "'small'")],
    };
    expect(await runFlow({ modules: [{ id: "b", value }] }, { n: 2 })).toMatchObject({ result: "large" });
    expect(await runFlow({ modules: [{ id: "b", value }] }, { n: 1 })).toMatchObject({ result: "small" });
  });

  it.each([true, false])("runs every branch, with parallel %s", async (parallel) => {
    const value = { type: "branchall", parallel, branches: [{ modules: [echo("x", "1")] }, { modules: [echo("y", "2")] }] };
    expect(await runFlow({ modules: [{ id: "b", value }] })).toEqual({ state: "succeeded", result: [1, 2] });
  });

  it("runs a segment in one task, with a loop inside it", async () => {
    const modules = [
      { ...loop([echo("a", "flow_input.iter.value + 1")]), segment: true },
      { ...echo("b", "results.each.length"), segment: true },
    ];
    expect(await runFlow({ modules }, { orders: [1, 2] })).toEqual({ state: "succeeded", result: 2 });
  });

  it("fails with the step's error, which the failure module can replace", async () => {
    const failing = { id: "a", value: { type: "script", path: "f/ops/none" } };
    expect(await runFlow({ modules: [failing] })).toMatchObject({
      state: "failed",
      result: { error: { name: "NotFound", message: "There is no script at f/ops/none.", step_id: "a" } },
    });
    const flow = { modules: [failing], failure_module: echo("failure", "({ recover: true, from: error.step_id })") };
    expect(await runFlow(flow)).toEqual({ state: "succeeded", result: { recover: true, from: "a" } });
  });

  it("retries a failed step, and stops a flow early", async () => {
    const retried = { id: "a", value: { type: "script", path: "f/ops/none" }, retry: { constant: { attempts: 2, seconds: 5 } } };
    expect(await runFlow({ modules: [retried] })).toMatchObject({ state: "failed" });
    const modules = [{ ...echo("a", "7"), stop_after_if: { expr: "result === 7" } }, script("b")];
    expect(await runFlow({ modules })).toEqual({ state: "succeeded", result: 7 });
  });
});
