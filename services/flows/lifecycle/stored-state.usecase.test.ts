import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { aFlow } from "../../../test/builders/flows.ts";
import { until } from "../../../test/support/until.ts";
import { continueMachine, machineOf, type Position, runExecution } from "../../../test/support/use-cases/aws/state-machine.ts";
import { loadStoredState, readTables, type StoredState } from "../../../test/support/use-cases/stored/stored-state.ts";
import { newWorld, success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { decideRequest } from "../../approvals/decisions/decide.ts";
import { loadGatesOfRun } from "../../approvals/gates/change-gate.ts";
import { findApprovalRequestOfGate } from "../../approvals/gates/find-approval-request.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadValue } from "../../jobs/values/values.ts";

const fileOf = (release: string) => path.join(import.meta.dirname, `../../../test/fixtures/state/${release}/flows.json`);

/** Scripts return their argument `x`. */
async function prepareWorld(): Promise<World> {
  const world = await newWorld();
  world.answers.run = async (request) => success((request.args as { x?: unknown }).x ?? "done");
  return world;
}

class Stop extends Error {}

async function startFlow(world: World, flow: object): Promise<string> {
  const { id } = await addJob(world, {
    id: randomUUID(),
    kind: "flowpreview",
    code: { in: "head", json: JSON.stringify({ flow: aFlow(flow) }) },
    hash: undefined,
    language: undefined,
    tag: "flow",
    timeoutS: limits.flowTimeoutS,
  });
  await handleJobMessage(world.deps, { job: id });
  return id;
}

const executionOf = (world: World, job: string) =>
  world.started.find((each) => each.job === job) ?? expect.fail(`Job ${job} has no execution.`);

/** Stores a flow in the second iteration of a loop, a flow at an open gate, a queued job and a scheduled job. */
async function writeState(): Promise<void> {
  const world = await prepareWorld();
  const { deps, workspace, clock } = world;
  await addWorkspace(world);
  const { build, ...script } = await addScript(world);
  const email = "ann@example.com";
  await deps.objects.put({ ...scriptHeadObject.key(workspace, script.path), value: script, build });
  await deps.objects.put({ ...userObject.key(personKey(email)), value: { email, username: "ann", superAdmin: true, createdAtMs: 0 } });
  const echo = (id: string, expr: string) => ({
    id,
    value: { type: "script", path: script.path, input_transforms: { x: { type: "javascript", expr } } },
  });
  const iterator = { type: "static", value: [1, 2, 3] };
  const modules = [echo("a", "flow_input.iter.value * 10"), echo("b", "results.a + 1")];
  const loop = await startFlow(world, {
    modules: [{ id: "each", value: { type: "forloopflow", iterator, skip_failures: false, modules } }],
  });
  let position: Position | undefined;
  const stopInLoop = (next: Position) => {
    if (next.name !== "b" || next.state.path !== "1.") return;
    position = next;
    throw new Stop();
  };
  await runExecution(world, executionOf(world, loop), { onEnter: stopInLoop }).catch((error: unknown) =>
    expect(error).toBeInstanceOf(Stop),
  );
  const approval = await startFlow(world, {
    modules: [{ ...echo("ask", "'asked'"), suspend: { required_events: 1 } }, echo("after", "resume.answer")],
  });
  // It waits for its token until the process ends.
  void runExecution(world, executionOf(world, approval)).catch(() => undefined);
  await until(async () => (await loadGatesOfRun(deps, approval))[0]?.token, { what: "the token of the gate" });
  const queued = await addJob(world, { hash: script.hash, args: { in: "head", json: '{"x":"queued"}' } });
  const scheduledForMs = clock.nowMs + 3600_000;
  const scheduled = await addJob(world, { hash: script.hash, scheduledForMs, args: { in: "head", json: '{"x":"scheduled"}' } });
  const plans = await Promise.all([loop, approval].map(async (id) => (await deps.jobs.get(id))?.flow?.plan ?? ""));
  const files = Object.fromEntries(await Promise.all(plans.map(async (key) => [key, await deps.storage.getObjectText(key)] as const)));
  const definition = await machineOf(world, approval);
  const next = Object.values(definition.States).find((state) => state.Type === "Task" && state.Resource.endsWith(".waitForTaskToken"));
  const state: StoredState = {
    atMs: clock.nowMs,
    workspace,
    ...(await readTables()),
    files,
    executions: {
      loop: { job: loop, definition: await machineOf(world, loop), position: position ?? expect.fail("The loop was not reached.") },
      approval: { job: approval, definition, next: next && "Next" in next ? next.Next : "" },
    },
    queued: queued.id,
    scheduled: scheduled.id,
    scheduledForMs,
  };
  writeFileSync(fileOf("0.3"), `${JSON.stringify(state, null, 1)}\n`);
}

/** Written once, by the release after which it is named. Later releases must read it and never rewrite it. */
if (process.env["SVC_WRITE_STATE"] === "1") it("the state of this release is written", writeState);

async function resultOf({ deps }: World, id: string): Promise<unknown> {
  const job = await deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`Job ${id} is ${job?.state}.`);
  expect(job.state).toBe("succeeded");
  return JSON.parse(await loadValue(deps, job, job.result));
}

describe.each(["0.2", "0.3"])("with the state that release %s stored", (release) => {
  const stored = () => JSON.parse(readFileSync(fileOf(release), "utf8")) as StoredState;

  it("a flow in the middle of a loop finishes the loop and runs no step twice", async () => {
    const [world, state] = [await prepareWorld(), stored()];
    await loadStoredState(world, state);
    const { job, definition, position } = state.executions.loop;
    await continueMachine(world, definition, position);
    expect(await resultOf(world, job)).toEqual([11, 21, 31]);
    expect(world.runs).toHaveLength(3);
  });

  it("an open gate is approved, and its flow ends with the payload", async () => {
    const [world, state] = [await prepareWorld(), stored()];
    await loadStoredState(world, state);
    const { job, definition, next } = state.executions.approval;
    const [gate = expect.fail("There is no gate.")] = await loadGatesOfRun(world.deps, job);
    const flow = (await world.deps.jobs.get(job)) ?? expect.fail("There is no flow.");
    const request = await findApprovalRequestOfGate(world.deps, gate, flow);
    const link = { workspace: gate.workspace, id: gate.id, resumeId: 7, approver: "kim", signature: "" };
    const from = { who: { kind: "link" }, accessPath: { by: "link", mayStop: false }, link } as Parameters<typeof decideRequest>[2];
    await decideRequest(world.deps, request, from, { approved: true, payload: { answer: 42 } });
    const { output } = world.resumed.find(({ token }) => token === gate.token) ?? expect.fail("The task was not resumed.");
    await continueMachine(world, definition, { name: next, state: output as Position["state"] });
    expect(await resultOf(world, job)).toBe(42);
  });

  it("a queued job runs, and a scheduled job runs with its arguments when it is due", async () => {
    const [world, state] = [await prepareWorld(), stored()];
    await loadStoredState(world, state);
    await handleJobMessage(world.deps, { job: state.queued });
    expect(await resultOf(world, state.queued)).toBe("queued");
    world.clock.nowMs = state.scheduledForMs + 1000;
    await handleJobMessage(world.deps, { job: state.scheduled });
    expect(await resultOf(world, state.scheduled)).toBe("scheduled");
  });
});
