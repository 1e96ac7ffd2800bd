import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { JobActor, Person } from "../../../core/people/actor.ts";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { countEndedJobs } from "./lists/count.ts";
import { listJobIds, listJobJsons } from "./lists/list.ts";
import { findJob, type JobCaller } from "./read.ts";
import { getTiming, loadResult, loadResultIfEnded } from "./result.ts";
import { setProgress } from "./streams/progress.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
  world.answers.run = async () => success("the secret");
});

const person: JobCaller = { actor: anAdmin, action: actions.readRun };
const load = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail(`There is no job ${id}.`);

/** A job whose result is redacted for people, and which is read at once after its end. */
async function anEndedJob(): Promise<string> {
  const { id } = await addJob(world, { hash });
  await handleJobMessage(world.deps, { job: id, hash });
  await world.deps.jobs.update(id, { redactedResult: { in: "head", json: '"***"' } }, { attr: "state", eq: "succeeded" });
  return id;
}
const at = (id: string) => ({ workspace: world.workspace, id });

/** The caller behind the token of a running job. */
const aJobOf = (jobId: string): JobActor => ({
  ...anAdmin,
  kind: "job",
  jobId,
  attempt: 1,
  workspace: world.workspace,
  permissionedAs: "u/ann",
});

describe("the result of a job", () => {
  it("is redacted for people, for the holder of a link and for jobs of other runs, and whole for a job of the same run tree", async () => {
    const id = await anEndedJob();
    const job: JobCaller = { ...person, actor: { ...aJobOf(randomUUID()), tree: id } };
    for (const own of [{}, { parent: id, root: id }]) {
      const other: JobCaller = { ...person, actor: { ...aJobOf(randomUUID()), ...own } };
      expect(await loadResult(world.deps, other, at(id))).toBe('"***"');
      expect(await loadResultIfEnded(world.deps, other, at(id))).toMatchObject({ result: "***" });
    }
    expect(await loadResult(world.deps, person, at(id))).toBe('"***"');
    expect(await loadResult(world.deps, { linked: await load(id) }, at(id))).toBe('"***"');
    expect(await loadResult(world.deps, job, at(id))).toBe('"the secret"');
    const ended = { started: true, completed: true, success: true };
    expect(await loadResultIfEnded(world.deps, person, at(id))).toEqual({ ...ended, result: "***" });
    expect(await loadResultIfEnded(world.deps, job, at(id))).toEqual({ ...ended, result: "the secret" });
  });

  it("is refused before the job ends, also to the holder of a link, and null in the reply about whether it has ended", async () => {
    const { id } = await addJob(world, { hash });
    const notFinished = { code: "job.notFinished", details: { id } };
    await expect(loadResult(world.deps, person, at(id))).rejects.toMatchObject(notFinished);
    await expect(loadResult(world.deps, { linked: await load(id) }, at(id))).rejects.toMatchObject(notFinished);
    await expect(getTiming(world.deps, person, at(id))).rejects.toMatchObject(notFinished);
    const waiting = { started: false, completed: false, success: null, result: null };
    expect(await loadResultIfEnded(world.deps, person, at(id))).toEqual(waiting);
  });
});

it("a person whom a script admits sees its runs, and not those of the flow at the same path", async () => {
  const path = "f/hidden/report";
  const [script, flow] = [await addJob(world, { hash, path }), await addJob(world, { path, kind: "flow" })];
  const readerOf = (kind: string) => {
    const reader = aReader(world.workspace, []);
    return { ...person, actor: { ...reader, rights: { ...reader.rights, objects: { [`${kind} ${path}`]: "read" as const } } } as Person };
  };
  const notFound = { code: "job.notFound" };
  expect((await findJob(world.deps, readerOf("script"), at(script.id))).id).toBe(script.id);
  await expect(findJob(world.deps, readerOf("script"), at(flow.id))).rejects.toMatchObject(notFound);
  expect((await findJob(world.deps, readerOf("flow"), at(flow.id))).id).toBe(flow.id);
  await expect(findJob(world.deps, readerOf("flow"), at(script.id))).rejects.toMatchObject(notFound);
});

it("the timing of a job that ended before it started begins at its end", async () => {
  const { id, createdAtMs } = await addJob(world, { hash });
  const endedAtMs = createdAtMs + 5000;
  await world.deps.jobs.update(id, { state: "canceled", endedAtMs, result: { in: "head", json: "1" }, erased: false } as object, {
    attr: "state",
    eq: "queued",
  });
  expect(await getTiming(world.deps, person, at(id))).toEqual({
    created_at: new Date(createdAtMs).toISOString(),
    started_at: new Date(endedAtMs).toISOString(),
    duration_ms: 0,
  });
});

it("a count of the ended jobs includes those that ended within the requested time, and lists contain no values", async () => {
  const own = { workspace: world.workspace, query: {}, scope: "completed" } as const;
  const count = async (completed_after_s_ago: number) =>
    (await countEndedJobs(world.deps, person, world.workspace, { completed_after_s_ago })).count;
  world.clock.nowMs += 3_600_000;
  const id = await anEndedJob();
  world.clock.nowMs += 10_000;
  const { entries: all } = await listJobIds(world.deps, person, own);
  expect(all[0]).toBe(id);
  expect([await count(5), await count(60), await count(86_400)]).toEqual([0, 1, all.length]);
  const [listed] = (await listJobJsons(world.deps, person, own)).entries;
  expect(listed).toMatchObject({ id, type: "CompletedJob" });
  for (const name of ["args", "result", "logs", "raw_code"]) expect(listed).not.toHaveProperty(name);
});

it("a filter of a list compares arguments and results as people see them, also for a job", async () => {
  const id = await anEndedJob();
  const redactedArgs = { in: "head", json: '{"key":"***"}' } as const;
  const args = { in: "head", json: '{"key":"the argument"}' } as const;
  await world.deps.jobs.update(id, { args, redactedArgs }, { attr: "state", eq: "succeeded" });
  for (const actor of [anAdmin, aJobOf(id)]) {
    const find = async (query: object) =>
      (await listJobIds(world.deps, { ...person, actor }, { workspace: world.workspace, query, scope: "completed" })).entries.includes(id);
    expect([await find({ args: '{"key":"the argument"}' }), await find({ args: '{"key":"***"}' })]).toEqual([false, true]);
    expect([await find({ result: '"the secret"' }), await find({ result: '"***"' })]).toEqual([false, true]);
  }
});

it("the progress of a job is 0 before it reports any, and a read of it records nothing", async () => {
  const job = await addJob(world, { hash });
  expect(await setProgress(world.deps, job, undefined)).toBe(0);
  expect(await load(job.id)).not.toHaveProperty("progress");
});
