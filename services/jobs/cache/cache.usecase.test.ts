import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace, passLease } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { eraseJob } from "../erasure/erase-job.ts";
import { loadLogs, loadValue } from "../values/values.ts";

/** Results that are stored in the head, in a separate item, and in S3. */
const results = { small: 1, "middle-sized": "m".repeat(2000), large: "l".repeat(20_000) };

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});
beforeEach(() => {
  world.answers.run = async () => success(1);
});

async function ended(id: string) {
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
  return job;
}
const runsOf = (id: string) => world.runs.filter(({ job }) => job === id).length;

const readStream = async (id: string) => extractStream(await loadLogs(world.deps, await ended(id)), true);

/** A new version, so that its runs have a new cache entry. */
async function newRuns() {
  const { hash } = await addScript(world, { path: `f/t/${randomUUID()}` });
  return {
    hash,
    add: async () => (await addJob(world, { hash, cacheTtlS: 6000 })).id,
    run: (id: string) => handleJobMessage(world.deps, { job: id, hash }),
  };
}

describe("endJobFromCache, whichever of its writes fails,", () => {
  it.each(Object.entries(results))("ends an equal run with a copy of the %s result, and does not run it", async (_, result) => {
    await expectToSurviveFaults(async () => {
      world.answers.run = async () => success(result);
      const { add, run } = await newRuns();
      const [first, second] = [await add(), await add()];
      await run(first);
      return {
        act: () => run(second),
        recover: () => passLease(world),
        check: async () => {
          const job = await ended(second);
          expect([job.state, job.cachedFrom, runsOf(second)]).toEqual(["succeeded", first, 0]);
          // The copy belongs to the job: it remains when the first job is erased.
          await eraseJob(world.deps, await ended(first));
          expect(JSON.parse(await loadValue(world.deps, job, job.result))).toEqual(result);
        },
      };
    });
  });
});

describe("endJobFromCache of a run that streamed, whichever of its writes fails,", () => {
  const streams = { small: "tick", large: "l".repeat(20_000) };

  it.each(Object.entries(streams))("ends an equal run together with its %s stream, which it has once", async (_, text) => {
    await expectToSurviveFaults(async () => {
      world.answers.run = async () => success(1, `a line\nWM_STREAM: ${text}\n`);
      const { add, run } = await newRuns();
      const [first, second] = [await add(), await add()];
      await run(first);
      return {
        act: () => run(second),
        recover: async () => {
          // A reader who sees the end now must find the stream.
          const job = await world.deps.jobs.get(second);
          if (job && hasEnded(job)) expect(await readStream(second)).toBe(text);
          await passLease(world);
        },
        check: async () => {
          expect([(await ended(second)).cachedFrom, runsOf(second)]).toEqual([first, 0]);
          expect(await readStream(second)).toBe(text);
        },
      };
    });
  });
});

describe("storeCacheEntry, whichever write of the run fails,", () => {
  it("gives an equal run the result of a successful run, or lets it run", async () => {
    await expectToSurviveFaults(async () => {
      const { add, run } = await newRuns();
      const [first, second] = [await add(), await add()];
      return {
        act: () => run(first),
        recover: () => passLease(world),
        check: async () => {
          expect((await ended(first)).state).toBe("succeeded");
          // Housekeeping may have sent the second job already.
          await run(second);
          const job = await ended(second);
          expect(JSON.parse(await loadValue(world.deps, job, job.result))).toBe(1);
          expect(runsOf(second)).toBe(job.cachedFrom === undefined ? 1 : 0);
        },
      };
    });
  });

  it("stores nothing of a run that was erased", async () => {
    const { add, run, hash } = await newRuns();
    const first = await add();
    await run(first);
    await eraseJob(world.deps, await ended(first));
    const second = await addJob(world, { hash, cacheTtlS: 6000 });
    await run(second.id);
    expect([(await ended(second.id)).cachedFrom, runsOf(second.id)]).toEqual([undefined, 1]);
  });
});
