import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import type { Gate } from "../../../core/approvals/gate.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, nested, one, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import { addFlow, approveGate, type FlowWorld, gates, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { loadFlowLogs } from "./logs.ts";
import { loadFlowFields } from "./status.ts";

/** Each script prints its argument and returns it. One whose argument begins with "bad" prints it and fails. */
let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const { run } = world.answers;
  world.answers.run = async (request) => {
    const text = String(request.args["x"]);
    const invocation = text.startsWith("bad") ? failure("no") : await run(request);
    world.clock.nowMs += 1;
    if (invocation.kind === "outcome") invocation.outcome.logs = { offset: 0, text: text === "" ? "" : `${text}\n` };
    return invocation;
  };
  await addFlow(world, "f/t/inner", [echo("x", "'deep'"), echo("y", "''")]);
});

const again = { retry: { constant: { attempts: 1, seconds: 0 } } };
const jobOf = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail(`There is no job ${id}.`);

describe("the logs of a whole flow", () => {
  const logsOf = async (value: object[] | object) => {
    const { run } = await runFlowInCloud(world, value);
    const logs = await loadFlowLogs(world.deps, { actor: anAdmin, action: actions.readRun }, await jobOf(run));
    // The first header names a job of the run.
    const [, id = ""] = /^=== \S+, .*job (\S+)$/m.exec(logs) ?? [];
    expect(await jobOf(id)).toMatchObject({ parent: run });
    return logs.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "#");
  };

  it("are those of its steps in the order in which they ran, each under its step, iteration, attempt and job", async () => {
    const logs = await logsOf([
      echo("a", "'first'"),
      echo("quiet", "''"),
      echo("skipped", "'never'", { skip_if: { expr: "true" } }),
      each("l", "[1, 2]", [each("m", "[1, 2]", [echo("b", "flow_input.iter.value + ' inside'")])]),
      one("o", "false", [echo("c", "'not this'")], [echo("d", "'otherwise'")]),
      all("p", [[echo("x", "'x'")], [echo("y", "'y'")]]),
      echo("f", "'bad'", { ...again, continue_on_error: true }),
      echo("z", "'last'"),
    ]);
    expect(logs.split("\n")).toEqual([
      ...["=== a, attempt 1, job #", "first", "=== quiet, attempt 1, job #"],
      ...["0.0", "0.1", "1.0", "1.1"].flatMap((at) => [`=== b, iteration ${at}, attempt 1, job #`, `${Number(at.slice(2)) + 1} inside`]),
      ...["=== d, attempt 1, job #", "otherwise", "=== x, attempt 1, job #", "x", "=== y, attempt 1, job #", "y"],
      ...["=== f, attempt 1, job #", "bad", "=== f, attempt 2, job #", "bad", "=== z, attempt 1, job #", "last", ""],
    ]);
  });

  it("contain the logs of nested flows where they began, of parallel branches, of both attempts of a loop, and of the failure module", async () => {
    const once = { ...each("l", "[1]", [echo("n", "'in it'"), echo("e", "'bad'")]), ...again };
    const logs = await logsOf({
      modules: [all("p", [[nested("i", "f/t/inner")], [echo("s", "'beside'")]], { parallel: true }), once],
      failure_module: echo("failure", "error.message"),
    });
    for (const line of [
      "=== i, attempt 1",
      "=== i > x, attempt 1, job #\ndeep",
      "=== i > y, attempt 1",
      "=== s, attempt 1, job #\nbeside",
    ]) {
      expect(logs).toContain(line);
    }
    expect(logs.indexOf("=== i > x")).toBeGreaterThan(logs.indexOf("=== i, attempt 1"));
    expect(logs.split("=== n, iteration 0, attempt 1, job #\nin it\n=== e, iteration 0, attempt 1, job #\n")).toHaveLength(3);
    expect(logs).toMatch(/=== failure, .*attempt 1, job #\nno\n/);
  });

  it("are truncated where they grow too long, with a line that names the rest", async () => {
    const loud = "'x'.repeat(999_999)";
    const logs = await logsOf([echo("a", loud), echo("b", loud), echo("c", "'not shown'")]);
    expect(logs.length).toBeLessThan(1024 * 1024 + 500);
    expect(logs).toMatch(/\n\[svc\] The log is truncated here\. .*jobs\/list\?parent_job=# lists the jobs of the steps\.\n$/);
    expect(logs).not.toContain("not shown");
  });
});

describe("a flow's job", () => {
  it("has the state of each of its modules after its end", async () => {
    const { run } = await runFlowInCloud(world, [
      step("a"),
      each("l", "[1, 2]", [step("b")]),
      one("o", "false", [], [step("d")]),
      all("p", [[step("x")], [step("y")]], { parallel: true }),
      step("s", { skip_if: { expr: "true" } }),
      echo("f", "'bad'", again),
      step("never"),
    ]);
    const id = expect.any(String);
    const { flow_status: status } = await loadFlowFields(world.deps, await jobOf(run));
    expect(status).toMatchObject({
      step: 5,
      modules: [
        { type: "Success", id: "a", job: id },
        { type: "Success", id: "l", flow_jobs: [id, id], flow_jobs_success: [true, true] },
        { type: "Success", id: "o", branch_chosen: { type: "default" } },
        { type: "Success", id: "p", flow_jobs: [id, id] },
        { type: "Success", id: "s", skipped: true },
        { type: "Failure", id: "f", failed_retries: [id] },
        { type: "WaitingForPriorSteps", id: "never" },
      ],
    });
  });

  it.each([
    ["a loop", (ask: object) => each("outer", "[1, 2]", [step("before"), ask, step("b")])],
    ["a parallel loop", (ask: object) => each("outer", "[1]", [ask, step("b")], { parallel: true })],
    ["a branch inside a loop", (ask: object) => each("outer", "[1]", [one("o", "true", [ask, step("b")])])],
    ["the branches of a branchall", (ask: object) => all("outer", [[step("b")], [ask, step("c")]])],
  ])("shows a gate that is open inside %s as the outer module that waits", async (_, around) => {
    for (const [count, ask] of [
      [2, echo("ask", "1", { suspend: { required_events: 2 } })],
      [1, { id: "ask", value: { type: "consentgate", approvers: ["u/ann"] } }],
    ] as const) {
      const run = await startFlow(world, [step("a"), around(ask), step("after")]);
      const cloud = new Cloud(world);
      await cloud.playUntilQuiet();
      const [gate] = await gates(world, run);
      const shown = async () => (await loadFlowFields(world.deps, await jobOf(run))).flow_status;
      const waiting = { type: "WaitingForEvents", id: "outer", count, job: gate?.id };
      expect((await shown())?.modules).toEqual([
        expect.objectContaining({ type: "Success" }),
        waiting,
        { type: "WaitingForPriorSteps", id: "after" },
      ]);
      expect(await shown()).toMatchObject({ step: 1, approval_conditions: { user_auth_required: count === 1 } });
      if (count === 2 && gate) {
        await approveGate(world, gate);
        expect((await shown())?.modules[1]).toEqual({ ...waiting, count: 1 });
      }
      for (const execution of world.started) if (execution.is === "running") execution.is = "stopped";
      await cloud.playUntilQuiet();
    }
  });

  it.each([
    ["a parallel loop", (ask: object) => each("outer", "[1, 2, 3]", [ask, step("b")], { parallel: true })],
    ["parallel branches", (ask: object) => all("outer", [[ask], [{ ...ask, id: "ask2" }], [{ ...ask, id: "ask3" }]], { parallel: true })],
  ])("shows the earliest of the gates that are open inside %s, with the approvals that it still needs", async (_, around) => {
    const run = await startFlow(world, [around(echo("ask", "1", { suspend: { required_events: 2 } })), step("after")]);
    const cloud = new Cloud(world);
    await cloud.playUntilQuiet();
    const shown = async () => (await loadFlowFields(world.deps, await jobOf(run))).flow_status?.modules[0];
    const open = await gates(world, run);
    expect(open).toHaveLength(3);
    const approve = async (gate: Gate | undefined, resumeId: number) => gate && approveGate(world, gate, 1, { resumeId });
    const [first, second, third] = open;
    const waiting = (gate: Gate | undefined, count: number) => ({ type: "WaitingForEvents", id: "outer", count, job: gate?.id });
    expect(await shown()).toEqual(waiting(first, 2));
    // An approval of another gate has no effect, because the URLs of the shown job do not reach that gate.
    await approve(third, 1);
    expect(await shown()).toEqual(waiting(first, 2));
    await approve(first, 1);
    expect(await shown()).toEqual(waiting(first, 1));
    await approve(first, 2);
    expect(await shown()).toEqual(waiting(second, 2));
    await approve(second, 1);
    await approve(second, 2);
    expect(await shown()).toEqual(waiting(third, 1));
    await approve(third, 2);
    await cloud.playUntilQuiet();
    expect(await jobOf(run)).toMatchObject({ state: "succeeded" });
  });

  it("names the executions that it continues, the oldest first", async () => {
    const run = await startFlow(world, [step("a"), step("b")]);
    const cloud: Cloud = new Cloud(world, {
      onEnter: async ({ name, execution: { execution } }) => {
        if (name === "b" && execution < 2) await cloud.sendStatus(`${run}.${execution}`, "FAILED");
      },
    });
    await cloud.play(run);
    const { execution } = await loadFlowFields(world.deps, await jobOf(run));
    const arn = (number: number) => expect.stringMatching(new RegExp(`:${run}\\.${number}$`));
    expect(execution).toEqual({ arn: arn(2), earlier: [arn(0), arn(1)] });
  });
});
