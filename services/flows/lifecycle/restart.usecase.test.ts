import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { flowPreviewSchema } from "../../../contract/routes/flows/flow-runs.ts";
import { outcomeRef } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Person } from "../../../core/people/actor.ts";
import { Cloud, runFlowInCloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { each, echo } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import {
  addFlow,
  approveGate,
  endOfFlow,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { buildFlowPreviewRequest } from "../../execution/requests/preview-request.ts";
import { startRun } from "../../execution/requests/start-run.ts";
import { buildFlowJobFields, enqueueJob } from "../../jobs/queue/enqueue.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { continueEarlierRun } from "./continue-earlier-run.ts";
import { restartFlow } from "./restart.ts";

const identity = (id: string, more: object = {}) => ({ id, value: { type: "identity" }, ...more });

/** White space after the JSON of an outcome, which a restart also copies. */
const MARK = " ";

let world: World;
let origin: Job;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  // Enough modules for their outcomes to be a separate item.
  const id = await startFlow(world, [
    ...Array.from({ length: 6 }, (_, index) => identity(`x${index}`)),
    identity("a"),
    identity("b"),
    identity("c"),
  ]);
  await playExecutions(world);
  const found = await world.deps.jobs.get(id);
  if (found?.state !== "succeeded") throw new Error(`The first flow is ${found?.state}.`);
  origin = found;
  for (const child of await world.deps.jobs.listChildren(id, childPrefix.outcome))
    await world.deps.jobs.putChild({ ...child, json: `${child.json}${MARK}` });
  world.clock.nowMs += 3_600_000;
});

const restart = (id: string, step_id: string) => restartFlow(world.deps, anAdmin, origin, { request: { step_id }, fields: { id } });

async function finish(id: string): Promise<void> {
  await work(world);
  await playExecutions(world);
  // Housekeeping sends the lost message again.
  await passLease(world, 1);
  await playExecutions(world);
  expect(await world.deps.jobs.get(id)).toMatchObject({ state: "succeeded" });
  expect(world.started.filter(({ job }) => job === id)).toHaveLength(1);
}

/** The modules that ran in this job: the outcomes of the others have the mark of the first job. */
async function modulesRun(id: string): Promise<string[]> {
  const modules = ["x0", "a", "b", "c"];
  const outcomes = await Promise.all(modules.map((module) => world.deps.jobs.getChild(id, outcomeRef(module, ROOT, ""))));
  return modules.filter((_, index) => !outcomes[index]?.json?.endsWith(MARK));
}

describe("restartFlow, whichever of its writes fails,", () => {
  it("starts one job that runs the step and those after it, when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const id = randomUUID();
      return {
        act: () => restart(id, "b"),
        recover: () => restart(id, "b").catch((error: unknown) => expect(error).toMatchObject({ code: "job.idTaken" })),
        check: async () => {
          await finish(id);
          expect(await modulesRun(id)).toEqual(["b", "c"]);
        },
      };
    });
  });

  it("leaves nothing that a later call with the same job id would mistake for its own steps", async () => {
    await expectToSurviveFaults(async () => {
      const id = randomUUID();
      let later = false;
      return {
        act: () => restart(id, "c"),
        recover: async () => {
          later = await restart(id, "a").then(
            () => true,
            () => false,
          );
        },
        check: async () => {
          await finish(id);
          expect(await modulesRun(id)).toEqual(later ? ["a", "b", "c"] : ["c"]);
        },
      };
    });
  });

  it("starts one flow if a worker loses the job while it begins", async () => {
    const { deps } = world;
    await expectToSurviveFaults(
      async () => {
        const id = randomUUID();
        return {
          act: async () => {
            await restart(id, "b");
            await work(world);
          },
          recover: () => passLease(world),
          check: async () => {
            if (!(await deps.jobs.get(id))) return;
            await finish(id);
            expect(await modulesRun(id)).toEqual(["b", "c"]);
          },
        };
      },
      { kinds: ["death"] },
    );
  });
});

describe("two restarts with one job id at once", () => {
  it("start one flow, which runs what its own call asked for", async () => {
    for (const steps of [
      ["a", "c"],
      ["c", "a"],
    ] as const) {
      const id = randomUUID();
      const answered = await Promise.allSettled(steps.map((step) => restart(id, step)));
      const accepted = steps.filter((_, index) => answered[index]?.status === "fulfilled");
      expect(accepted).toHaveLength(1);
      expect(answered.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "job.idTaken" } });
      await finish(id);
      expect(await modulesRun(id)).toEqual(accepted[0] === "a" ? ["a", "b", "c"] : ["c"]);
    }
  });
});

describe("a preview that continues an earlier run", () => {
  const preview = async (value: object, args: object, from: object, actor: Person = anAdmin): Promise<string> => {
    const call = { actor, workspace: world.workspace, query: {}, headers: {} };
    const body = flowPreviewSchema.parse({ value, args, restarted_from: from });
    const request = await continueEarlierRun(world.deps, actor, await buildFlowPreviewRequest(world.deps, { ...call, body }), body);
    const { id } = await startRun(world.deps, request);
    await new Cloud(world).play(id);
    return id;
  };
  const modules = (last: string) => ["a", "b", "c"].map((id) => echo(id, id === "c" ? last : `'${id}' + flow_input.x`));
  let flows: FlowWorld;
  let first: string;
  beforeAll(async () => {
    flows = await newFlowWorld();
    world = flows;
    ({ run: first } = await runFlowInCloud(world, modules("'old'"), { x: 1 }));
    flows.results.length = 0;
  });

  it("runs the new flow with the new arguments, and keeps the results of the steps before", async () => {
    const value = { modules: modules("[results.a, results.b, flow_input.x, 'new']") };
    const run = await preview(value, { x: 2 }, { flow_job_id: first, step_id: "b" });
    expect((await endOfFlow(world, run)).result).toEqual(["a1", "b2", 2, "new"]);
    expect(flows.results).toEqual(["b2", ["a1", "b2", 2, "new"]]);
  });

  it("keeps the iterations of a loop before the one that it restarts", async () => {
    const loop = (text: string) => ({ modules: [each("l", "[1, 2, 3]", [echo("i", `'${text}' + flow_input.iter.value`)])] });
    const { run } = await runFlowInCloud(world, loop("old"));
    const next = await preview(
      loop("new"),
      {},
      { flow_job_id: run, step_id: "l", branch_or_iteration_n: 2, flow_version: null, nested: null },
    );
    expect((await endOfFlow(world, next)).result).toEqual(["old1", "old2", "new3"]);
  });

  it("keeps no approval, and no run that the caller may not read", async () => {
    const value = { modules: [echo("ask", "1", { suspend: { required_events: 1 } }), echo("b", "2"), echo("c", "3")] };
    const run = await startFlow(world, value);
    await playExecutions(world);
    for (const gate of await gates(world, run)) await approveGate(world, gate);
    await playExecutions(world);
    const approved = { code: "flow.notRestarted", details: { reason: expect.stringContaining("its step ask was approved") } };
    await expect(preview(value, {}, { flow_job_id: run, step_id: "b" })).rejects.toMatchObject(approved);
    await expect(preview(value, {}, { flow_job_id: run, step_id: "b", nested: {} })).rejects.toMatchObject({ code: "flow.notRestarted" });
    const stranger = aReader(world.workspace, []);
    await expect(preview(value, {}, { flow_job_id: first, step_id: "b" }, stranger)).rejects.toMatchObject({ code: "job.notFound" });
  });
});

describe("a restart of the run of a person who may not read what its arguments refer to", () => {
  const MARKED = "$var:f/ops/secret";

  it("passes the references on as texts, and keeps no list with them", async () => {
    const flows = await newFlowWorld();
    const loop = [identity("a"), each("l", "flow_input.list", [identity("i")])];
    const id = await startFlow(flows, loop, { list: ["1", MARKED], db: MARKED });
    await playExecutions(flows);
    const ended = (await flows.deps.jobs.get(id)) ?? expect.fail();
    const of = (email: string, request: object) =>
      restartFlow(flows.deps, anAdmin, { ...ended, email }, { request: { step_id: "l", ...request }, fields: {} });
    const argsOf = async (job: { id: string }) => {
      const restarted = (await flows.deps.jobs.get(job.id)) ?? expect.fail();
      return JSON.parse(await loadValue(flows.deps, restarted, restarted.args)) as object;
    };
    expect(await argsOf(await of(anAdmin.email, { branch_or_iteration_n: 1 }))).toEqual({ list: ["1", MARKED], db: MARKED });
    expect(await argsOf(await of("eve@example.com", {}))).toEqual({ list: ["1", `\\${MARKED}`], db: `\\${MARKED}` });
    const refused = { code: "flow.notRestarted", details: { reason: expect.stringContaining("the list of its loop refers to") } };
    await expect(of("eve@example.com", { branch_or_iteration_n: 1 })).rejects.toMatchObject(refused);
  });
});

describe("the cache of a flow", () => {
  const CACHED_S = 600;
  const answers = (text: string) => ({ modules: [echo("a", "flow_input.x"), echo("b", `'${text}'`)], cache_ttl: CACHED_S });
  let flows: FlowWorld;
  beforeAll(async () => {
    flows = await newFlowWorld();
  });
  const play = async (id: string): Promise<unknown> => {
    await new Cloud(flows).play(id);
    return (await endOfFlow(flows, id)).result;
  };

  it("never holds the result of a restart with another version or with earlier results", async () => {
    const { deps, workspace, clock } = flows;
    const old = await addFlow(flows, "f/ops/cached", answers("old"));
    const newest = await addFlow(flows, "f/ops/cached", answers("new"));
    const run = async () => {
      const { id } = await enqueueJob(deps, { actor: anAdmin, workspace, ...buildFlowJobFields(newest), args: { x: 1 } });
      return { id, result: await play(id) };
    };
    const first = await run();
    expect(first.result).toBe("new");
    for (const step_id of ["a", "b"]) {
      clock.nowMs += (CACHED_S + 1) * 1000;
      const ended = (await deps.jobs.get(first.id)) ?? expect.fail("The first run is gone.");
      const { id } = await restartFlow(deps, anAdmin, ended, { request: { step_id, flow_version: old.version }, fields: {} });
      expect(await play(id)).toBe("old");
      expect(await deps.jobs.get(id)).toMatchObject({ hash: old.hash });
      expect((await run()).result).toBe("new");
    }
  });
});
