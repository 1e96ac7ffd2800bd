import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { approvalEntryObject } from "../../../core/approvals/record.ts";
import { getFlowRootId, getTreeId, type Job } from "../../../core/jobs/record/job.ts";
import type { Actor, JobActor } from "../../../core/people/actor.ts";
import { aFlow } from "../../../test/builders/flows.ts";
import { nested } from "../../../test/support/use-cases/cases/flow-modules.ts";
import {
  addFlow,
  approveGate,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { addJob, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { enqueueJob } from "./enqueue.ts";
import { resolveLineage } from "./lineage.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

const [ownJob, ownParent, ownRoot] = [randomUUID(), randomUUID(), randomUUID()];
const aJobOfBob = (more: Partial<JobActor> = {}): JobActor => {
  const { tokenHash: _, tokenPrefix: __, ...bob } = aReader(world.workspace, ["readable"]);
  const job = { jobId: ownJob, parent: ownParent, root: ownRoot, attempt: 1, workspace: world.workspace, permissionedAs: "u/bob" };
  return { ...bob, ...job, kind: "job", ...more };
};
const resolve = (actor: Actor, query: object) => resolveLineage(world.deps, actor, world.workspace, query);
const loadJob = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail(`There is no job ${id}.`);

describe("the parent and the root that a caller names", () => {
  it("may be the parent and the root of the running job that makes the call", async () => {
    for (const id of [ownJob, ownParent, ownRoot])
      expect(await resolve(aJobOfBob(), { parent_job: id, root_job: id })).toEqual({ parent: id, root: id });
  });

  it("are ignored for any other job that the caller may not see and run", async () => {
    const foreign = await addJob(world, { path: "f/hidden/a" });
    const preview = await addJob(world, { path: undefined, kind: "preview" });
    const elsewhere = await addJob(world, { path: "f/readable/a", workspace: "other" });
    for (const id of [foreign.id, preview.id, elsewhere.id, randomUUID()]) {
      for (const actor of [aReader(world.workspace, ["readable"]), aJobOfBob()])
        expect(await resolve(actor, { parent_job: id, root_job: id })).toEqual({});
    }
  });

  it("may be a parent that the caller may see and run, and never a root", async () => {
    const seen = await addJob(world, { path: "f/readable/a" });
    const own = await addJob(world, { path: undefined, kind: "preview", email: "bob@example.com" });
    for (const { id } of [seen, own]) {
      for (const actor of [aReader(world.workspace, ["readable"]), aJobOfBob()])
        expect(await resolve(actor, { parent_job: id, root_job: id })).toEqual({ parent: id });
    }
    const limited = { ...aReader(world.workspace, ["readable"]), scopes: ["jobs:read"] };
    expect(await resolve(limited, { parent_job: seen.id })).toEqual({});
  });
});

describe("a flow that a job starts with the id of another run as its root", () => {
  const asks = (id: string) => ({ id, value: { type: "identity" }, suspend: { required_events: 1, timeout: 1000 } });

  it("keeps its approvals, those of its nested flows included, in its own run and record", async () => {
    const { deps, workspace } = world;
    await addFlow(world, "f/t/asking", [asks("inner")]);
    const victim = await startFlow(world, [asks("own")]);
    await playExecutions(world);
    const actor: JobActor = { ...aJobOfBob(), ...anAdmin, kind: "job", parent: victim };
    const { id } = await enqueueJob(deps, {
      actor,
      workspace,
      kind: "flowpreview",
      code: { flow: aFlow({ modules: [asks("mine"), nested("n", "f/t/asking")] }) },
      args: {},
      flow: { execution: 0 },
      timeoutS: 3600,
      lineage: await resolveLineage(deps, actor, workspace, { parent_job: victim, root_job: victim }),
    });
    await work(world);
    for (let at = 0; at < 2; at += 1) {
      await playExecutions(world);
      const open = (await gates(world, id)).find(({ decision }) => !decision);
      await approveGate(world, open ?? expect.fail(`No gate is open: ${JSON.stringify(await loadJob(id))}`));
      await playExecutions(world);
      await work(world);
    }
    await playExecutions(world);
    expect(await loadJob(id)).toMatchObject({ state: "succeeded", parent: victim, root: victim, tree: ownJob });
    expect((await gates(world, victim)).map(({ module }) => module)).toEqual(["own"]);
    expect((await gates(world, id)).map(({ module }) => module).toSorted()).toEqual(["inner", "mine"]);
    const recorded = async (run: string) =>
      (await deps.objects.list(approvalEntryObject.partitionKey(workspace), { beginsWith: `${run}#` })).length;
    expect([await recorded(victim), await recorded(id)]).toEqual([0, 2]);
  });
});

describe("the run tree of a job", () => {
  const place = { id: "a", scope: "", path: "" };
  it.each<[string, Partial<Job>, string, string]>([
    ["alone", {}, "own", "own"],
    ["with a parent that a person chose", { parent: "p" }, "own", "own"],
    ["that a job started", { parent: "p", root: "r", tree: "t" }, "t", "own"],
    ["of a step", { parent: "f", root: "f", step: place }, "f", "f"],
    ["of a step of a nested flow", { parent: "n", root: "f", step: place }, "f", "f"],
    ["of a step of a flow that a job started", { parent: "n", root: "r", tree: "t", flowRoot: "f", step: place }, "t", "f"],
    ["that release 0.2 started with a root", { root: "r" }, "own", "r"],
  ])("%s", (_, fields, tree, flowRoot) => {
    const job = { id: "own", ...fields } as Job;
    expect([getTreeId(job), getFlowRootId(job)]).toEqual([tree, flowRoot]);
  });
});
