import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type EndedJob, hasEnded } from "../../../core/jobs/record/job.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, success, type World } from "../../../test/support/use-cases/world.ts";
import { addScript, addWorkspace, listJobs, resumeDue } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { loadLogs, loadValue } from "../../jobs/values/values.ts";
import { runAndWait } from "./run-and-wait.ts";
import { requestVersion, type VersionRunCall } from "./run-request.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

function aRequest(version: Runnable, key?: string): VersionRunCall {
  const idempotencyKey = key === undefined ? undefined : { key: repeatedCallObject.key(key), fingerprint: "same", retentionMs: 60_000_000 };
  return requestVersion(
    { target: { kind: "script", version }, arguments: { args: {}, files: [], wrapped: false } },
    { actor: anAdmin, workspace: world.workspace, cacheTtlS: 6000, idempotencyKey },
  );
}
const run = (request: VersionRunCall) => runAndWait({ ...world.deps, syncLimitMs: async () => 5000 }, request);
const runsOf = (id: string) => world.runs.filter(({ job }) => job === id).length;
/** The ended jobs of a script without the first one. */
const listOthers = async ({ path }: Runnable, first: string): Promise<EndedJob[]> =>
  (await listJobs(world, path)).filter(({ id }) => id !== first).filter(hasEnded);

describe("runAndWait with a cached result, whichever of its writes fails,", () => {
  it.each([
    ["no stream", ""],
    ["a small stream", "tick"],
    ["a large stream", "l".repeat(20_000)],
  ])("records the end together with %s, and answers the repeated call", async (_, stream) => {
    await expectToSurviveFaults(async () => {
      world.answers.run = async () => success("cached", stream && `a line\nWM_STREAM: ${stream}\n`);
      const version = await addScript(world, { path: `f/t/${randomUUID()}` });
      const { id: first } = await run(aRequest(version));
      const request = aRequest(version, randomUUID());
      const expectWhole = async (job: EndedJob) => {
        expect([job.cachedFrom, runsOf(job.id)]).toEqual([first, 0]);
        expect(extractStream(await loadLogs(world.deps, job), true)).toBe(stream);
        expect(JSON.parse(await loadValue(world.deps, job, job.result))).toBe("cached");
      };
      let answered: string | undefined;
      const act = async () => {
        answered = (await run(request)).id;
      };
      return {
        act,
        recover: async () => {
          // A reader who sees the end now must find the stream.
          for (const job of await listOthers(version, first)) await expectWhole(job);
          await act();
        },
        check: async () => {
          const jobs = await listOthers(version, first);
          expect(jobs.map(({ id }) => id)).toEqual([answered]);
          for (const job of jobs) await expectWhole(job);
        },
      };
    });
  });

  it("returns job.idTaken for an id that another job has, and does not change the output of that job", async () => {
    world.answers.run = async () => success(1, "WM_STREAM: cached\n");
    const version = await addScript(world, { path: `f/t/${randomUUID()}` });
    await run(aRequest(version));
    world.answers.run = async () => success(2, "WM_STREAM: own\n");
    const other = aRequest(await addScript(world, { path: `f/t/${randomUUID()}` }));
    const { id } = await run(other);
    const request = aRequest(version);
    await expect(run({ ...request, job: { ...request.job, id } })).rejects.toMatchObject({ code: "job.idTaken" });
    const job = await world.deps.jobs.get(id);
    expect(job && extractStream(await loadLogs(world.deps, job), true)).toBe("own");
  });

  it("erases the run even if its caller dies, if the script requests that", async () => {
    await expectToSurviveFaults(async () => {
      world.answers.run = async () => success(1, "WM_STREAM: tick\n");
      const version = await addScript(world, { path: `f/t/${randomUUID()}` });
      const { id: first } = await run(aRequest(version));
      return {
        act: () => run(aRequest({ ...version, deleteAfterS: 0 })),
        recover: async () => {
          world.clock.nowMs += 3_700_000;
          await resumeDue(world);
        },
        check: async () => {
          for (const job of await listOthers(version, first)) {
            expect([job.cachedFrom, job.erased, await loadLogs(world.deps, job)]).toEqual([first, true, ""]);
          }
        },
      };
    });
  });
});
