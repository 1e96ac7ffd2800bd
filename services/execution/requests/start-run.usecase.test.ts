import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runQuery } from "../../../contract/routes/jobs/runs.ts";
import { newResourceSchema } from "../../../contract/routes/stored/resources.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addScript, addWorkspace, listJobs, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { createFolder } from "../../folders/folders.ts";
import type { NewJob } from "../../jobs/queue/enqueue.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { createResource } from "../../resources/save.ts";
import { buildJobOptions, requestVersion, type VersionRunCall } from "./run-request.ts";
import { startRun } from "./start-run.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

/** Arguments that are stored in the head, in a separate item, and in S3. */
const texts = { small: "s", "middle-sized": "m".repeat(2000), large: "l".repeat(20_000) };

async function aRequest(args: object, fields: Partial<NewJob> = {}, key?: string): Promise<VersionRunCall> {
  const version: Runnable = await addScript(world, { path: `f/t/${randomUUID()}` });
  const idempotencyKey = key === undefined ? undefined : { key: repeatedCallObject.key(key), fingerprint: "same", retentionMs: 60_000_000 };
  return requestVersion(
    { target: { kind: "script", version }, arguments: { args: args as Record<string, unknown>, files: [], wrapped: false } },
    { actor: anAdmin, workspace: world.workspace, ...fields, idempotencyKey },
  );
}

const runsOf = ({ id }: Pick<Job, "id">) => world.runs.filter(({ job }) => job === id).length;

/** Every job of the request's script has succeeded, has run once, and has its arguments. Returns their ids. */
async function expectRunsOnce({
  version: {
    target,
    arguments: { args },
  },
}: VersionRunCall): Promise<string[]> {
  const jobs = await listJobs(world, target.version.path);
  for (const job of jobs) {
    if (!hasEnded(job)) throw new Error(`The job is ${job.state}.`);
    expect([job.state, runsOf(job)]).toEqual(["succeeded", 1]);
    expect(JSON.parse(await loadValue(world.deps, job, job.args))).toEqual(args);
  }
  return jobs.map(({ id }) => id);
}

describe("startRun, whichever of its writes fails,", () => {
  it.each(Object.entries(texts))("starts one job for an Idempotency-Key when the call is repeated, with %s arguments", async (_, text) => {
    await expectToSurviveFaults(async () => {
      const request = await aRequest({ text }, {}, randomUUID());
      const answered: string[] = [];
      const start = async () => void answered.push((await startRun(world.deps, request)).id);
      return {
        act: start,
        recover: start,
        check: async () => {
          await work(world);
          await passLease(world);
          expect(await expectRunsOnce(request)).toEqual([...new Set(answered)]);
        },
      };
    });
  });

  it("starts one job for the id that the caller chose: a repeated call starts it or answers job.idTaken", async () => {
    await expectToSurviveFaults(async () => {
      const id = randomUUID();
      const request = await aRequest({}, { id });
      return {
        act: () => startRun(world.deps, request),
        recover: () => startRun(world.deps, request).catch((error: unknown) => expect(error).toMatchObject({ code: "job.idTaken" })),
        check: async () => {
          await work(world);
          await passLease(world);
          expect(await expectRunsOnce(request)).toEqual([id]);
        },
      };
    });
  });

  it("a call without a key leaves no job or one that runs once, even if it is not repeated", async () => {
    await expectToSurviveFaults(async () => {
      const request = await aRequest({ text: texts["middle-sized"] });
      let answered: string | undefined;
      return {
        act: async () => {
          answered = (await startRun(world.deps, request)).id;
        },
        recover: async () => undefined,
        check: async () => {
          await work(world);
          await passLease(world);
          const ids = await expectRunsOnce(request);
          if (answered !== undefined) expect(ids).toEqual([answered]);
          expect(ids.length).toBeLessThan(2);
        },
      };
    });
  });
});

describe("a delay", () => {
  it("is counted from the creation of the job, however long reading the request took", async () => {
    let reading = world.clock.nowMs;
    const slow = { ...world.deps, nowMs: () => (reading += 7) };
    const { version } = await aRequest({});
    const options = await buildJobOptions(slow, anAdmin, world.workspace, { ...runQuery.parse({}), scheduled_in_secs: 3 });
    await startRun(slow, requestVersion(version, options));
    const [job] = await listJobs(world, version.target.version.path);
    expect(job?.scheduledForMs).toBe(Number(job?.createdAtMs) + 3000);
  });
});

describe("an Idempotency-Key", () => {
  it("returns the job to an equal call even if the first call could not send its message", async () => {
    const request = await aRequest({}, {}, randomUUID());
    // The equal call arrives while the first one sends its message.
    let other: Promise<{ id: string }> | undefined;
    const queue = {
      ...world.deps.queue,
      sendMessage: async () => {
        other = startRun(world.deps, request);
        await other;
        throw new Error("The queue takes no message.");
      },
    };
    await expect(startRun({ ...world.deps, queue }, request)).rejects.toThrow("The queue takes no message.");
    await passLease(world);
    expect(await expectRunsOnce(request)).toEqual([(await other)?.id]);
  });

  it("starts one job for simultaneous equal calls that find the key of a deleted job", async () => {
    const request = await aRequest({}, {}, randomUUID());
    await withFault({ write: 2, moment: "before", kind: "death" }, () => startRun(world.deps, request));
    for (const { id } of await listJobs(world, request.version.target.version.path)) await world.deps.jobs.deleteUnclaimed(id);
    const answered = await Promise.all(Array.from({ length: 8 }, () => startRun(world.deps, request)));
    await work(world);
    expect(await expectRunsOnce(request)).toEqual([...new Set(answered.map(({ id }) => id))]);
  });

  it("refers to the new job when a slow call still removes the deleted one", async () => {
    const request = await aRequest({}, {}, randomUUID());
    await withFault({ write: 2, moment: "before", kind: "death" }, () => startRun(world.deps, request));
    for (const { id } of await listJobs(world, request.version.target.version.path)) await world.deps.jobs.deleteUnclaimed(id);
    // The slow call has read the key and found no job. Before it continues, an equal call starts one.
    let first: { id: string } | undefined;
    const objects = {
      ...world.deps.objects,
      transactWrite: async (...parts: Parameters<typeof world.deps.objects.transactWrite>) => {
        first ??= await startRun(world.deps, request);
        return world.deps.objects.transactWrite(...parts);
      },
    };
    const second = await startRun({ ...world.deps, objects }, request);
    await work(world);
    expect(await expectRunsOnce(request)).toEqual([first?.id]);
    expect(second).toEqual({ id: first?.id, replayed: expect.any(Boolean) });
  });
});

describe("a token that runs one script only", () => {
  it("cannot make the script read a variable of the token's owner", async () => {
    const path = `f/t/${randomUUID()}`;
    const request = await aRequest({ text: "$var:f/t/secret", known: "$var:f/t/known" });
    const actor = { ...anAdmin, scopes: [`jobs:run:scripts:${path}`, "variables:read:f/t/known"] };
    const { id } = await startRun(world.deps, { ...request, job: { ...request.job, actor } });
    const job = await world.deps.jobs.get(id);
    if (!job) throw new Error("The job is absent.");
    expect(JSON.parse(await loadValue(world.deps, job, job.args))).toEqual({ text: "\\$var:f/t/secret", known: "$var:f/t/known" });
  });

  it("cannot make it read one by a resource that refers to it", async () => {
    const caller = { actor: anAdmin, workspace: world.workspace };
    await createFolder(world.deps, anAdmin, world.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
    const save = (name: string, value: unknown) =>
      createResource(world.deps, caller, newResourceSchema.parse({ path: `f/t/${name}`, value, resource_type: "any" }));
    await save("db", { key: "$var:f/t/secret" });
    await save("around", { list: ["$res:f/t/db"] });
    await save("open", { key: "$var:f/t/known" });
    await save("circle", { to: "$res:f/t/circle" });
    const names = ["db", "around", "open", "circle", "absent"];
    const request = await aRequest(Object.fromEntries(names.map((name) => [name, `$res:f/t/${name}`])));
    const actor = { ...anAdmin, scopes: ["jobs:run:scripts", "resources:read", "variables:read:f/t/known"] };
    const { id } = await startRun(world.deps, { ...request, job: { ...request.job, actor } });
    const job = (await world.deps.jobs.get(id)) ?? expect.fail();
    const kept = names.filter((name) => name !== "db" && name !== "around");
    expect(JSON.parse(await loadValue(world.deps, job, job.args))).toEqual({
      ...{ db: "\\$res:f/t/db", around: "\\$res:f/t/around" },
      ...Object.fromEntries(kept.map((name) => [name, `$res:f/t/${name}`])),
    });
  });
});
