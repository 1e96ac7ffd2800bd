import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import type { OutlineQuery, OutlineStepJson } from "../../../contract/routes/jobs/run-details.ts";
import { endRef, iterationPath } from "../../../core/flows/journal.ts";
import { bodyScope } from "../../../core/flows/scopes.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, nested, one, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import { addFlow, approveGate, type FlowWorld, gates, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { loadOutline } from "./outline.ts";

/** A script whose argument begins with "bad" fails, and its error contains the argument. */
let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const { run } = world.answers;
  world.answers.run = async (request) => {
    const text = String(request.args["x"]);
    world.clock.nowMs += 5;
    return text.startsWith("bad") ? failure(text) : run(request);
  };
  await addFlow(world, "f/t/inner", [step("x")]);
});

const jobOf = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail(`There is no job ${id}.`);
const outline = async (run: string, query: OutlineQuery = {}) => loadOutline(world.deps, await jobOf(run), query);
const brief = (rows: OutlineStepJson[]) => rows.map(({ path, state }) => `${path} ${state}`);
const again = { retry: { constant: { attempts: 1, seconds: 0 } } };

describe("the outline of a flow", () => {
  it("contains the state of each step, with its job, its times, its attempts and its marks", async () => {
    const { run } = await runFlowInCloud(world, {
      modules: [
        step("a", { summary: `Reads ${"x".repeat(300)}` }),
        echo("mocked", "1", { mock: { enabled: true, return_value: 1 } }),
        step("skipped", { skip_if: { expr: "true" } }),
        nested("inner", "f/t/inner"),
        echo("retried", "'bad ' + 'e'.repeat(900)", { ...again, continue_on_error: true }),
        echo("last", "'bad'"),
        step("never"),
      ],
      failure_module: echo("failure", "'handled'"),
    });
    const rows = await outline(run);
    expect(brief(rows)).toEqual([
      ...["a succeeded", "mocked succeeded", "skipped skipped", "inner succeeded", "retried failed", "last failed", "never not_run"],
      "failure succeeded",
    ]);
    const at = expect.stringMatching(/^20.*Z$/);
    const [a, mocked, skipped, inner, retried, last, never] = rows;
    expect(a).toEqual({
      ...{
        path: "a",
        module: "a",
        summary: `Reads ${"x".repeat(194)}`,
        kind: "script",
        state: "succeeded",
        job: expect.any(String),
        attempts: 1,
      },
      ...{ queued_at: at, started_at: at, ended_at: at, waited_ms: expect.any(Number) },
    });
    expect([mocked?.mocked, skipped?.skipped, mocked?.job, never?.attempts]).toEqual([true, true, undefined, 0]);
    expect(brief(await outline(inner?.job ?? ""))).toEqual(["x succeeded"]);
    expect(retried).toMatchObject({ attempts: 2, error: { name: "Error" } });
    expect(retried?.error?.message).toMatch(/^bad e+…$/);
    expect(retried?.error?.message).toHaveLength(300);
    expect(last?.error).toEqual({ name: "Error", message: "bad" });
    expect(brief(await outline(run, { only_failed: true }))).toEqual(["retried failed", "last failed"]);
    expect(brief(await outline(run, { page: 2, per_page: 2 }))).toEqual(["skipped skipped", "inner succeeded"]);
  });

  it("is empty for a job that is no flow, and refuses a place that the flow does not have", async () => {
    const { run } = await runFlowInCloud(world, [step("a"), each("l", "[1]", [step("b")])]);
    const [a] = await outline(run);
    expect(await outline(a?.job ?? "")).toEqual([]);
    for (const under of ["a", "b", "l/x", "l/0/b", "l/0/none/1", "__proto__", "l/", "/l"]) {
      await expect(outline(run, { under }), under).rejects.toMatchObject({ code: "query.invalid" });
    }
  });

  it("descends into iterations and branches, at any depth and in the last attempt", async () => {
    const inside = each("m", "[1, 2]", [step("c"), echo("d", "flow_input.iter.value === 2 ? 'bad inside' : 1")], { skip_failures: true });
    const { run } = await runFlowInCloud(world, [
      { ...each("l", "[1, 2, 3]", [step("b"), inside]), ...again },
      one("o", "false", [step("x")], [step("y")]),
      all("p", [[step("q")], [echo("r", "'bad'")]], { parallel: true }),
    ]);
    expect(await outline(run)).toMatchObject([
      { path: "l", kind: "forloopflow", of: 3, children: 3, failed_children: 0, state: "succeeded" },
      { path: "o", children: 2, failed_children: 0 },
      { path: "p", children: 2, failed_children: 1, state: "failed" },
    ]);
    const time = expect.stringMatching(/^20.*Z$/);
    for (const step of await outline(run)) expect(step).toMatchObject({ queued_at: time, started_at: time, ended_at: time });
    const [, second] = await outline(run, { under: "l" });
    expect(second).toMatchObject({ path: "l/1", kind: "iteration", iteration: 1, of: 3, children: 2, failed_children: 0 });
    expect(second).toMatchObject({ queued_at: expect.any(String), started_at: expect.any(String) });
    expect(brief(await outline(run, { under: "l/1" }))).toEqual(["l/1/b succeeded", "l/1/m succeeded"]);
    expect(await outline(run, { under: "l/1/m", only_failed: true })).toMatchObject([
      { path: "l/1/m/1", state: "failed", error: { message: "bad inside" }, iteration: 1, failed_children: 1 },
    ]);
    expect(brief(await outline(run, { under: "l/1/m/1" }))).toEqual(["l/1/m/1/c succeeded", "l/1/m/1/d failed"]);
    expect(brief(await outline(run, { under: "o" }))).toEqual(["o/0 not_run", "o/default succeeded"]);
    expect(brief(await outline(run, { under: "o/default" }))).toEqual(["o/default/y succeeded"]);
    expect(brief(await outline(run, { under: "p" }))).toEqual(["p/0 succeeded", "p/1 failed"]);
    expect(brief(await outline(run, { under: "p", only_failed: true }))).toEqual(["p/1 failed"]);
  });

  it("shows the attempt of a loop that ran last", async () => {
    const { run } = await runFlowInCloud(world, [
      { ...each("l", "[1, 2]", [echo("b", "flow_input.iter.value === 2 ? 'bad' : 1")]), ...again },
    ]);
    expect(await outline(run)).toMatchObject([{ path: "l", state: "failed", attempts: 2, children: 2, failed_children: 1 }]);
    const [row] = await outline(run, { under: "l", only_failed: true });
    expect(row).toMatchObject({ path: "l/1", state: "failed" });
    const [b] = await outline(run, { under: "l/1" });
    expect((await jobOf(b?.job ?? "")).step).toMatchObject({ path: "l~1.1." });
  });

  it("pages through many iterations, and finds the failed ones by one read", async () => {
    const list = "Array.from({ length: 50 }, (_, n) => n)";
    const body = [echo("b", "flow_input.iter.value % 20 === 2 ? 'bad' : 1")];
    const { run } = await runFlowInCloud(world, [each("l", list, body, { skip_failures: true })]);
    const last = await outline(run, { under: "l", page: 3, per_page: 20 });
    expect(last.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 10 }, (_, n) => 40 + n));
    const failed = await outline(run, { under: "l", only_failed: true, page: 2, per_page: 2 });
    expect(failed).toMatchObject([{ path: "l/42", of: 50, error: { message: "bad" } }]);
    expect(await outline(run)).toMatchObject([{ children: 50, failed_children: 3 }]);
    const job = await jobOf(run);
    let reads = 0;
    const counted = new Proxy(world.deps.jobs, {
      get: (jobs, name) => {
        reads += 1;
        return Reflect.get(jobs, name);
      },
    });
    await loadOutline({ ...world.deps, jobs: counted }, job, { under: "l", only_failed: true });
    expect(reads).toBeLessThan(10);
  });

  it("says that it has counted a part of the failures of a loop", async () => {
    const { run } = await runFlowInCloud(world, [each("l", "[1, 2]", [echo("b", "'bad'")], { skip_failures: true })]);
    const [end] = await world.deps.jobs.listChildren(run, endRef(bodyScope("l"), ""));
    const ends = Array.from({ length: limits.outlineReads }, (_, at) => ({
      ...(end ?? expect.fail("There is no end.")),
      ref: endRef(bodyScope("l"), iterationPath("", at)),
    }));
    const jobs = new Proxy(world.deps.jobs, {
      get: (store, name) => (name === "listChildren" ? () => Promise.resolve(ends) : Reflect.get(store, name).bind(store)),
    });
    expect(await loadOutline({ ...world.deps, jobs }, await jobOf(run), {})).toMatchObject([
      { failed_children: limits.outlineReads, failed_children_partial: true },
    ]);
  });

  it("shows what a running flow waits for, and who has approved", async () => {
    const ask = echo("ask", "1", { suspend: { required_events: 1 } });
    const run = await startFlow(world, [step("a"), ask, each("l", "[1, 2]", [echo("c", "1", { suspend: { required_events: 1 } })])]);
    const cloud = new Cloud(world);
    await cloud.playUntilQuiet();
    expect(brief(await outline(run))).toEqual(["a succeeded", "ask suspended", "l waiting"]);
    const [, waiting] = await outline(run);
    const time = expect.stringMatching(/^20.*Z$/);
    expect(waiting?.approval).toEqual({ state: "open", approvers: [], missing: 1, opened_at: time });
    const [, seen] = await loadOutline(world.deps, await jobOf(run), {}, true);
    expect(seen?.approval?.may_decide).toEqual({ user_auth_required: false, self_approval_disabled: false });
    const [gate] = await gates(world, run);
    if (gate) await approveGate(world, gate);
    await cloud.playUntilQuiet();
    const [, asked] = await outline(run);
    expect(asked).toMatchObject({ state: "succeeded", approval: { state: "approved", opened_at: time, decided_at: time } });
    expect(brief(await outline(run, { under: "l" }))).toEqual(["l/0 running", "l/1 waiting"]);
    expect(brief(await outline(run, { under: "l/0" }))).toEqual(["l/0/c suspended"]);
    for (const execution of world.started) if (execution.is === "running") execution.is = "stopped";
    await cloud.playUntilQuiet();
  });
});
