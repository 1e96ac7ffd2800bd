import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { forgetPlans } from "../../../test/support/flows/disturbed-flows.ts";
import { Cloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, nested, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import { addFlow, endOfFlow, type FlowWorld, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, listJobs, resumeDue } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { FlowEnd } from "./end-flow.ts";

const mark = { by: "ann", reason: "wrong customer" };
let world: FlowWorld;
let answer: FlowWorld["answers"]["run"];
beforeAll(async () => {
  world = await newFlowWorld();
  answer = world.answers.run;
  await addFlow(world, "f/t/inner", [echo("x", "'cancel me'"), step("y")]);
});
beforeEach(() => {
  world.answers.run = answer;
});

it("a flow that is canceled or stopped does not end with the result of a step", () => {
  const ending = { state: "succeeded" as const, value: { jobId: "j", location: { in: "head" as const, json: "1" } } };
  const ends: FlowEnd[] = [
    { ending },
    // @ts-expect-error Its job would record no cancellation.
    { ending, cancel: mark },
    // @ts-expect-error Its job would not record what is stopped.
    { ending, stopping: mark },
  ];
  expect(ends).toHaveLength(3);
});

const ofRun = async (run: string) => (await listJobs(world)).filter(({ id, root }) => id === run || root === run);

describe("canceling the job of a step ends its flow as canceled, with the same reason:", () => {
  const canceled = echo("a", "'cancel me'");
  const rescues = echo("failure", "1");
  it.each<[string, object]>([
    ["a step", { modules: [canceled, step("z")] }],
    ["a step that may be retried", { modules: [{ ...canceled, retry: { constant: { attempts: 3 } } }, step("z")] }],
    ["a step after which the flow may continue", { modules: [{ ...canceled, continue_on_error: true }, step("z")] }],
    ["a flow with a failure module", { modules: [canceled, step("z")], failure_module: rescues }],
    ["an iteration whose failure may be skipped", { modules: [each("l", "[1, 2]", [canceled], { skip_failures: true }), step("z")] }],
    ["a parallel branch", { modules: [all("b", [[canceled], [step("x")]], { parallel: true }), step("z")] }],
    ["a segment", { modules: [canceled, step("z")], same_worker: true }],
    ["a step of a nested flow", { modules: [nested("a", "f/t/inner"), step("z")] }],
  ])("%s", async (_, value) => {
    const run = await startFlow(world, value);
    world.answers.run = async (request) => {
      if (request.args["x"] !== "cancel me") return answer(request);
      // The job of the other branch may run too.
      const job = await world.deps.jobs.get(request.job);
      if (job) await cancelJob(world.deps, job, { ...mark, force: true });
      return failure("killed");
    };
    await new Cloud(world).play(run);
    const jobs = await ofRun(run);
    expect(jobs.filter((job) => !hasEnded(job))).toEqual([]);
    expect(jobs.find(({ id }) => id === run)).toMatchObject({ state: "canceled", cancel: mark });
    expect(jobs.filter(({ step: place }) => place?.id === "z" || place?.id === "failure")).toEqual([]);
  });
});

it("canceling a flow also cancels a step that has begun to wait for a slot", async () => {
  const { build, ...value } = await addScript(world, { path: "f/ops/limited", concurrency: { limit: 1, windowS: 3600 } });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
  const limited = { ...echo("a", "1"), value: { type: "script", path: value.path, input_transforms: {} } };
  // The first run takes the only slot of the window.
  await new Cloud(world).play(await startFlow(world, [limited]));
  const run = await startFlow(world, [limited]);
  const played = new Cloud(world).play(run);
  for (;;) {
    await nextTurn();
    if ((await ofRun(run)).some(({ state }) => state === "queued")) break;
  }
  const flow = await world.deps.jobs.get(run);
  if (flow) await cancelJob(world.deps, flow, mark);
  const jobs = await ofRun(run);
  expect(jobs.map(({ state, cancel }) => [state, cancel])).toEqual(jobs.map(() => ["canceled", mark]));
  await played.catch(() => undefined);
});

describe("what was deleted after a run was accepted ends the run once, with a reason:", () => {
  const endOf = async (id: string) => {
    const job = await world.deps.jobs.get(id);
    if (!job || !hasEnded(job)) return expect.fail("The run has not ended.");
    return [job.state, await loadJson(world.deps, job, job.result)];
  };
  it("a script", async () => {
    const { id } = await addJob(world, { hash: "0123456789abcdef" });
    await handleJobMessage(world.deps, { job: id });
    const error = { name: "ScriptDeleted", message: "The script was deleted while the run waited." };
    expect(await endOf(id)).toEqual(["failed", { error }]);
  });

  it.each([
    ["a flow", { execution: 0, version: 4711 }],
    ["the plan of a flow", { execution: 0, plan: "flows/none/plan.json" }],
  ])("%s", async (_, flow) => {
    const { id } = await addJob(world, { id: randomUUID(), kind: "flow", flow, language: undefined, tag: "flow" });
    await handleJobMessage(world.deps, { job: id });
    const error = { name: "FlowDeleted", message: "The flow was deleted while the run waited." };
    expect(await endOf(id)).toEqual(["failed", { error }]);
  });
});

it("a run that waits for an approval ends once after its flow was deleted", async () => {
  const run = await startFlow(world, [{ ...echo("a", "1"), suspend: { required_events: 1, timeout: 3600 } }, step("z")]);
  await new Cloud(world).playUntilQuiet();
  const { flow } = (await world.deps.jobs.get(run)) ?? {};
  await world.deps.storage.deleteObject(flow?.plan ?? "");
  await forgetPlans();
  world.clock.nowMs += 2 * 3_600_000;
  await resumeDue(world);
  const error = { name: "FlowDeleted", message: "The flow was deleted while it ran." };
  expect(await endOfFlow(world, run)).toEqual({ state: "failed", result: { error } });
  expect(world.started.filter(({ job, is }) => job === run && is === "running")).toEqual([]);
});

it.each([undefined, echo("failure", "({ recover: true })")])(
  "a preprocessor that fails ends the flow with its error, whether or not the flow has a failure module",
  async (failure_module) => {
    world.answers.run = async (request) => (request.args["event"] ? failure("no event") : answer(request));
    const value = { modules: [step("a")], preprocessor_module: echo("preprocessor", "1"), ...(failure_module ? { failure_module } : {}) };
    const run = await startFlow(world, value, { event: { kind: "webhook" } });
    await world.deps.jobs.update(run, { preprocess: "wanted" }, { attr: "state", eq: "running" });
    await new Cloud(world).play(run);
    const { state, result } = await endOfFlow(world, run);
    expect([state, result]).toEqual(["failed", { error: expect.objectContaining({ message: "no event", step_id: "preprocessor" }) }]);
  },
);

const plainBody = [echo("a", "flow_input.iter.value")];
it.each<[string, unknown, object[]]>([
  ["a number", 2, plainBody],
  ["an expression", { type: "javascript", expr: "flow_input.width" }, plainBody],
  ["a number and an inner loop", 2, [each("m", "[0]", [echo("a", "flow_input.iter_parent.value")])]],
])("a slow iteration of a parallel loop does not block the other slots of the loop: its width is %s", async (_, parallelism, body) => {
  const { promise: othersHaveRun, resolve } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  world.answers.run = async (request) => {
    running += 1;
    most = Math.max(most, running);
    const item = request.args["x"];
    if (item === 4) setImmediate(resolve);
    if (item === 0) await othersHaveRun;
    running -= 1;
    return answer(request);
  };
  const run = await startFlow(world, [each("l", "[0, 1, 2, 3, 4]", body, { parallel: true, parallelism })], { width: 2 });
  await new Cloud(world).play(run);
  expect([(await endOfFlow(world, run)).result].flat(2)).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});

it.each([
  ["the iterations of a parallel loop", each("l", "[0, 1, 2]", [each("m", "[...Array(10).keys()]", [step("a")])], { parallel: true })],
  [
    "parallel branches",
    all(
      "l",
      [0, 1, 2].map((branch) => [each(`m${branch}`, "[...Array(10).keys()]", [step(`a${branch}`)])]),
      { parallel: true },
    ),
  ],
])("%s share the events that are left in the history, and another execution continues their loops", async (_, loop) => {
  const from = world.results.length;
  const run = await startFlow(world, [loop, echo("z", "results.l.flat().length")]);
  const executions = () => world.started.filter(({ job }) => job === run);
  const [first = expect.fail()] = executions();
  first.input = { ...(first.input as object), events: 7500 };
  await new Cloud(world).play(run);
  expect((await endOfFlow(world, run)).result).toBe(30);
  expect(executions()).toHaveLength(2);
  expect(world.results.length - from).toBe(31);
});
