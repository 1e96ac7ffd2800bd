import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { STATE_VERSION } from "../../../core/flows/step-call.ts";
import { Cloud, type ExecutionPosition } from "../../../test/support/use-cases/aws/cloud.ts";
import { type Position, runExecution } from "../../../test/support/use-cases/aws/state-machine.ts";
import { all, each, echo, nested, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure, success, type World } from "../../../test/support/use-cases/world.ts";
import { addFlow, endOfFlow, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { resumeDue } from "../../../test/support/use-cases/world-jobs.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { runTask } from "../runtime/run-task.ts";

/** Step Functions may send a flow's end late, twice or wrongly, and may run a job's machine twice at once: only the job's record counts. */
let world: World;
beforeAll(async () => {
  world = await newFlowWorld();
  await addFlow(world, "f/t/inner", [step("e")]);
  // The first run of `r` in a flow fails.
  const failed = new Set<unknown>();
  world.answers.run = async ({ args, env }) => {
    const { x } = args as { x: unknown };
    const flow = env["WM_FLOW_JOB_ID"];
    if (x !== "r" || failed.has(flow)) return success(x);
    failed.add(flow);
    return failure("planned");
  };
});

const modules = [
  each("l", "[0, 1]", [step("b")]),
  step("r", { retry: { constant: { attempts: 1, seconds: 0 } } }),
  each("p", "[0, 1]", [step("g"), step("h")], { parallel: true }),
  all("o", [[step("x")], [step("y")]], { parallel: true }),
  nested("n", "f/t/inner"),
  step("w", sleepS(1)),
  echo("z", "[results.l, results.r, results.p, results.o, results.n]"),
];
const RESULT = [["b0", "b1"], "r", ["h0", "h1"], ["x", "y"], "e"];
const PLACES = ["b0", "b1", "r", "r", "g0", "g1", "h0", "h1", "x", "y", "e", "w"];

const currentOf = async (job: string) => (await world.deps.jobs.get(job))?.flow?.execution ?? 0;
/** The script runs from this one on, without the last step of the flow, whose argument is the flow's result. */
const placesFrom = (from: number) => world.runs.slice(from).flatMap(({ args }) => (Array.isArray(args["x"]) ? [] : [args["x"] as string]));

type Disturbance = (cloud: Cloud, position: ExecutionPosition) => Promise<unknown>;
const failed = async (cloud: Cloud, { execution: { job } }: ExecutionPosition, status = "FAILED") =>
  cloud.sendStatus(`${job}.${await currentOf(job)}`, status);

const disturbances: Record<string, Disturbance> = {
  "its execution is reported as failed": (cloud, position) => failed(cloud, position),
  "its execution is reported as timed out": (cloud, position) => failed(cloud, position, "TIMED_OUT"),
  "the failure is reported three times at once": async (cloud, { execution: { job } }) => {
    const name = `${job}.${await currentOf(job)}`;
    await Promise.all([1, 2, 3].map(() => cloud.sendStatus(name, "FAILED")));
  },
  "the failure is reported again later": async (cloud, { execution: { job } }) => {
    const name = `${job}.${await currentOf(job)}`;
    for (const status of ["FAILED", "ABORTED", "TIMED_OUT"]) await cloud.sendStatus(name, status);
  },
  "the end of executions that never existed is reported": async (cloud, { execution: { job } }) => {
    await cloud.sendStatus(`${job}.7`, "ABORTED");
    await cloud.sendStatus("by-hand", "FAILED");
    await cloud.sendStatus(`${randomUUID()}.0`, "FAILED");
  },
  "its machine is started a second time": async (cloud, { execution }) => cloud.startAgain(execution),
  "its machine is started with an old number": async (cloud, position) => {
    const execution = await currentOf(position.execution.job);
    await failed(cloud, position);
    cloud.startAgain(position.execution, { execution });
  },
  "its machine is started with a number that follows": async (cloud, { execution }) =>
    cloud.startAgain(execution, { execution: (await currentOf(execution.job)) + 1 }),
};

/** Runs the flow and disturbs it when the n-th state is entered, including states of its nested flow and its parallel branches. */
async function runDisturbed(at: number, disturb: Disturbance) {
  const from = world.runs.length;
  const started = world.started.length;
  const run = await startFlow(world, modules);
  let [entered, place] = [0, ""];
  const cloud: Cloud = new Cloud(world, {
    onEnter: async (position) => {
      entered += 1;
      if (entered !== at) return;
      place = position.name;
      await disturb(cloud, position);
    },
  });
  await cloud.play(run);
  return { run, entered, place, end: await endOfFlow(world, run), places: placesFrom(from), executions: world.started.slice(started) };
}

describe("a flow runs each step once and ends once, successfully, even if", () => {
  /** Each disturbance occurs at every third state, so that each state has two or three of them. */
  const STRIDE = 3;
  const table = Object.entries(disturbances).map(([title, disturb], index) => [title, disturb, 1 + (index % STRIDE)] as const);

  it.each(table)("%s, at any state of its machine", async (_title, disturb, first) => {
    const failures: string[] = [];
    let struck = 0;
    for (let [at, states] = [first, first]; at <= states; at += STRIDE) {
      let place = "";
      try {
        const found = await runDisturbed(at, disturb);
        if (at === first) states = found.entered;
        place = found.place;
        struck += place === "" ? 0 : 1;
        expect([found.end, found.places.toSorted()]).toEqual([{ state: "succeeded", result: RESULT }, PLACES.toSorted()]);
        expect(found.executions.filter(({ is }) => is === "running")).toEqual([]);
      } catch (error) {
        failures.push(`at state ${at}, ${place}: ${(error as Error).message}`);
      }
    }
    expect(failures).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });
});

describe("if no event of an execution's end arrives, housekeeping finds the end:", () => {
  /** Runs the first step only: the execution waits at the second one until the test ends it. */
  async function stopAtSecond(): Promise<string> {
    const run = await startFlow(world, [step("a"), step("b")]);
    const [execution = expect.fail("There is no execution.")] = world.started.filter(({ job }) => job === run);
    const stop = ({ name }: Position) => {
      if (name === "b") throw new Error("The machine stops here.");
    };
    await expect(runExecution(world, execution, { onEnter: stop })).rejects.toThrow("The machine stops here.");
    return run;
  }
  const checkOf = async (is: "ended" | "stopped") => {
    const from = world.runs.length;
    const run = await stopAtSecond();
    for (const execution of world.started) if (execution.job === run) execution.is = is;
    world.clock.nowMs += limits.flowCheckMs + 1000;
    await resumeDue(world);
    return { run, places: () => placesFrom(from) };
  };

  it("the flow whose execution was stopped in the console is canceled, with the reason", async () => {
    const { run, places } = await checkOf("stopped");
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "canceled", cancel: { reason: "stopped by hand" } });
    expect(places()).toEqual(["a"]);
  });

  it("the flow whose execution failed continues in another one", async () => {
    const { run, places } = await checkOf("ended");
    await new Cloud(world).play(run);
    expect(await endOfFlow(world, run)).toEqual({ state: "succeeded", result: "b" });
    expect(places()).toEqual(["a", "b"]);
  });
});

it("a task that waits for a nested flow does not wait in an obsolete execution", async () => {
  const run = await startFlow(world, [nested("n", "f/t/inner")]);
  const state = { version: STATE_VERSION, workspace: world.workspace, job: run, execution: 7, events: 0, path: "" } as const;
  const token = randomUUID();
  await expect(runTask(world.deps, { module: "n", scope: "", state, token })).rejects.toThrow("Execution 7");
  expect(world.resumed).toContainEqual({ token, output: { ...state, outcome: "enter again" } });
  await new Cloud(world).play(run);
  expect(await endOfFlow(world, run)).toEqual({ state: "succeeded", result: "e" });
});

describe("the end of a flow is final, whatever is reported about its execution later,", () => {
  const fails = { id: "a", value: { type: "script", path: "f/ops/none" } };
  const stops = { ...step("a"), stop_after_if: { expr: "true", skip_if_stopped: true } };

  async function disturbAfterEnd(run: string): Promise<void> {
    const before = [await world.deps.jobs.get(run), world.started.length, world.runs.length];
    const cloud = new Cloud(world);
    for (const status of ["FAILED", "ABORTED", "TIMED_OUT"]) for (const n of [0, 1]) await cloud.sendStatus(`${run}.${n}`, status);
    for (const execution of world.started.filter(({ job }) => job === run)) cloud.startAgain(execution);
    await cloud.play(run);
    expect([await world.deps.jobs.get(run), world.started.length, world.runs.length]).toEqual(before);
  }

  it.each<[string, object, string]>([
    ["successful", { modules: [step("a")] }, "succeeded"],
    ["skipped", { modules: [stops] }, "skipped"],
    ["failed", { modules: [fails] }, "failed"],
    ["failed after its failure module ran", { modules: [fails], failure_module: step("failure") }, "failed"],
  ])("%s", async (_title, value, state) => {
    const run = await startFlow(world, value);
    await new Cloud(world).play(run);
    expect(await endOfFlow(world, run)).toMatchObject({ state });
    await disturbAfterEnd(run);
  });

  it("canceled", async () => {
    const run = await startFlow(world, [step("a"), step("b")]);
    const cancel = async ({ name }: ExecutionPosition) => {
      const job = name === "b" ? await world.deps.jobs.get(run) : undefined;
      if (job) await cancelJob(world.deps, job, { by: "ann", reason: "enough" });
    };
    const from = world.runs.length;
    await new Cloud(world, { onEnter: cancel }).play(run);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "canceled", cancel: { by: "ann", reason: "enough" } });
    await disturbAfterEnd(run);
    expect(placesFrom(from)).toEqual(["a"]);
  });
});
